"""The score of a finished game is the same wherever one asks: the command line, GTP, training."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tengen import Color, Game, Position
from tengen.cli.main import main
from tengen.engine.session import Session
from tengen.games.store import GameStore
from tengen.go.game import Move
from tengen.go.playouts import playout_moves
from tengen.go.result import Result
from tengen.go.rules import Rules
from tengen.go.settle import settle
from tengen.training.outcomes import outcomes

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.sgf"))


def made(seed: int, size: int, rules: str) -> Game:
    """A game of guided playouts that both passed in when a tenth of it was still to come."""
    start = Position(size)
    moves = playout_moves(start, seed=seed, policy="guided")
    moves = moves[: len(moves) * 9 // 10]
    points = [*moves, size * size, size * size]
    colors = [Color.BLACK, Color.WHITE]
    return Game(
        size=size,
        rules=Rules.named(rules),
        moves=[Move(colors[i % 2], point) for i, point in enumerate(points)],
    )


MADE = [
    made(seed, size, rules)
    for seed, (size, rules) in enumerate(2 * [(9, "chinese"), (9, "japanese"), (7, "aga")])
]


@pytest.fixture(
    params=[*EXAMPLES, *MADE], ids=lambda p: p.stem if isinstance(p, Path) else f"made-{p.rules.name}"
)
def game(request: pytest.FixtureRequest) -> Game:
    return Game.from_file(request.param) if isinstance(request.param, Path) else request.param


def test_command_line_gtp_and_training_agree(
    game: Game,
    tmp_path: Path,
    session: Session,
    converse: Callable[[Iterable[str]], str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    position = game.position()
    found = settle(position)

    path = tmp_path / "game.sgf"
    path.write_text(game.to_sgf())
    monkeypatch.setattr("sys.argv", ["tengen", "score", str(path), "--json"])
    with pytest.raises(SystemExit):
        main()
    counted = json.loads(capsys.readouterr().out)
    assert counted["result"] == str(found.score.result)
    assert counted["dead"] == [position.vertex(p) for p in found.dead]

    # A player whose net has no ownership.
    monkeypatch.setattr("tengen.engine.contestant.last_report", lambda *_: SimpleNamespace(ownership=None))
    session.set_rules(game.rules)
    answers = converse([f"loadsgf {path}", "final_score", "final_status_list dead"])
    assert f"> final_score\n= {found.score.result}\n" in answers
    dead = answers.rsplit("> final_status_list dead\n=", 1)[1].split()
    assert sorted(dead) == sorted(position.vertex(p) for p in found.dead)

    lead = found.score.lead.of(Color.BLACK)
    game.result = Result.of_lead(lead)
    if not lead:
        return  # a drawn game is not settled
    targets = outcomes(GameStore.from_games([game]), say=lambda text: None)
    signs = np.array([0, 1, -1])
    assert targets.margin[0] == found.margin
    np.testing.assert_array_equal(targets.owner[0], signs[found.area.ravel()])
