"""Runs KaTrain's engine, game and players, unchanged and without its window, with `tengen analyze` as their engine.

    python scripts/try_katrain.py "exec tengen analyze --net tengen"

Needs the packages katrain and kivy (docs/development.md). Only KaTrain's window is replaced, by a recorder. Prints what
was done; exit code 1 if KaTrain logged an error, or if an analysis did not arrive.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

os.environ |= {"KIVY_NO_ARGS": "1", "KIVY_NO_CONSOLELOG": "1", "KIVY_NO_FILELOG": "1", "KIVY_WINDOW": ""}

import katrain
from katrain.core.ai import generate_ai_move
from katrain.core.base_katrain import Player
from katrain.core.constants import OUTPUT_ERROR, VERSION
from katrain.core.engine import KataGoEngine, Move
from katrain.core.game import Game, KaTrainSGF

sys.stderr = sys.__stderr__  # kivy has taken it
CONFIG = json.loads((Path(katrain.__file__).parent / "config.json").read_text())
WAIT = 120.0


class Window:
    """In place of KaTrain's window: keeps what is logged."""

    def __init__(self) -> None:
        self.controls = MagicMock()
        self.pondering = False
        self.game: Any = None
        self.players_info = {"B": Player("B"), "W": Player("W")}
        self.next_player_info = self.players_info["B"]
        self.errors: list[str] = []
        self.lines: list[str] = []

    def log(self, message: object, level: int = 0) -> None:
        (self.errors if level == OUTPUT_ERROR else self.lines).append(str(message))

    def config(self, path: str, default: Any = None) -> Any:
        section, _, key = path.partition("/")
        found = CONFIG.get(section, {})
        return found.get(key, default) if key else found

    def __call__(self, message: str, *arguments: object) -> None:
        self.lines.append(f"window: {message} {arguments}")


def wait_for(what: str, is_there: Callable[[], bool]) -> None:
    end = time.time() + WAIT
    while not is_there():
        if time.time() > end:
            sys.exit(f"{what}: nothing arrived within {WAIT:g} s")
        time.sleep(0.05)
    print(f"ok  {what}")


def main() -> None:
    window = Window()
    settings = CONFIG["engine"] | {
        "altcommand": sys.argv[1],
        "max_visits": 60,
        "fast_visits": 10,
        "allow_recovery": False,
    }
    print(f"KaTrain {VERSION}: {sys.argv[1]}")
    engine = KataGoEngine(window, settings)
    process = engine.katago_process

    def new_game(**properties: Any) -> Any:
        engine.on_new_game()
        window.game = Game(window, engine, game_properties={"SZ": 9, "KM": 6.5, "RU": "jp"} | properties)
        wait_for(f"empty board, {properties or 'japanese'}", lambda: window.game.root.analysis_complete)
        return window.game

    for rules in ("cn", "ko", "aga", "tt", "nz"):
        new_game(RU=rules)
    game = new_game()
    for number, vertex in enumerate(("E5", "C3", "G7", "G3", "C7", "E3")):
        game.play(Move.from_gtp(vertex, player="BW"[number % 2]))
    nodes = list(game.root.nodes_in_tree)
    wait_for("six moves", lambda: all(node.analysis_complete for node in nodes))
    assert all(node.points_lost is not None for node in nodes[1:]), "points lost are missing"
    node = game.current_node
    assert node.ownership and node.policy and node.candidate_moves[0]["pv"], (
        "ownership, policy or line is missing"
    )

    for mode in ("extra", "equalize", "sweep", "alternative"):
        game.analyze_extra(mode)
        time.sleep(0.3)
        wait_for(mode, engine.is_idle)
    game.analyze_extra("game", visits=70)
    wait_for("the whole game again", engine.is_idle)
    game.set_region_of_interest([0, 4, 0, 4])
    game.analyze_extra("extra")
    time.sleep(0.3)
    wait_for("a region", engine.is_idle)
    game.region_of_interest = None
    before = node.root_visits if hasattr(node, "root_visits") else 0
    game.analyze_extra("ponder")
    wait_for("pondering", lambda: (node.analysis["root"] or {}).get("visits", 0) > max(before, 100))
    game.analyze_extra("stop")
    wait_for("stop", engine.is_idle)

    for player in sorted(name for name in CONFIG["ai"] if "human" not in name and "pro" not in name):
        move, _ = generate_ai_move(game, player, CONFIG["ai"][player])
        print(f"ok  {player} plays {move.gtp()}")
        wait_for("its analysis", lambda: game.current_node.analysis_complete)
        game.undo()
    game.selfplay("end")
    wait_for("self-play to the end", lambda: len(list(game.root.nodes_in_tree)) > 30 and engine.is_idle())

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.sgf"
        game.write_sgf(str(path), CONFIG["trainer"] | {"save_analysis": True})
        loaded = Game(window, engine, move_tree=KaTrainSGF.parse_file(str(path)))
        window.game = loaded
        wait_for("a saved game", lambda: all(n.analysis_exists for n in loaded.root.nodes_in_tree))

    engine.shutdown(finish=False)
    print("exit code of the engine:", process.wait(10))
    warnings = {line for line in window.lines if "'warning'" in line}
    print("warnings:", warnings or "none")
    for error in window.errors:
        print("ERROR", error)
    sys.exit(1 if window.errors else 0)


if __name__ == "__main__":
    main()
