"""Analyses of positions: how they are kept, and in which form the page gets them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from tengen.go.game import Game
from tengen.go.position import Position
from tengen.nets.card import ModelCard
from tengen.nets.evaluator import Evaluator, position_key
from tengen.search.player import Limit, Question, Root
from tengen.search.registry import make_player
from tengen.web.store import Store
from tengen.web.turns import Task

MOST_CANDIDATES = 12
MOST_VARIATION = 16


def key_of(position: Position, card: ModelCard) -> bytes:
    """Equal for the same position with the same history, rules, komi and net."""
    return hashlib.blake2b(repr((position_key(position), card.identity)).encode(), digest_size=20).digest()


def slim(root: Root, size: int) -> dict[str, Any]:
    """`Root.to_json` without what nobody looks at: the last candidates, far variations, far digits."""
    table = root.to_json(size)
    table["candidates"] = table["candidates"][:MOST_CANDIDATES]
    for candidate in table["candidates"]:
        candidate["variation"] = candidate["variation"][:MOST_VARIATION]
        candidate["variation_visits"] = candidate["variation_visits"][:MOST_VARIATION]
    found: dict[str, Any] = _rounded(table)
    return found


def _rounded(value: Any, digits: int = 4) -> Any:
    if isinstance(value, float):
        return round(value, digits)
    if isinstance(value, list):
        return [_rounded(item, digits) for item in value]
    if isinstance(value, dict):
        return {key: _rounded(item, 2 if key == "ownership" else digits) for key, item in value.items()}
    return value


def analysis_json(table: dict[str, Any], net: str, komi: float) -> dict[str, Any]:
    """What the page gets, from a slim table."""
    candidates = [
        {
            key: candidate[key]
            for key in ("move", "visits", "prior", "black_win_rate", "black_lead", "variation")
        }
        for candidate in table["candidates"]
    ]
    return {
        "to_move": table["to_move"],
        "visits": table["visits"],
        "net": net,
        "black_win_rate": table["black_win_rate"],
        "black_lead": table["black_lead"],
        "candidates": candidates,
        "ownership": table.get("ownership"),
        "komi_labels": table["komi_labels"],
        "black_win_rate_by_komi": table["black_win_rate_by_komi"],
        "komi": komi,
        "searched_komi": table["searched"]["komi"],
    }


class Known:
    """The analyses in the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def find(self, position: Position, card: ModelCard) -> Root | None:
        """The deepest analysis of the position by this net, if there is one."""
        table = self._store.analysis(key_of(position, card))
        return None if table is None else Root.from_json(table, position.size)

    def keep(self, position: Position, card: ModelCard, root: Root) -> None:
        """A shallower one than the store has is not kept."""
        self._store.put_analysis(key_of(position, card), root.visits, slim(root, position.size))


def search(
    game: Game, net: Evaluator, visits: int, task: Task, interval: float | None = None
) -> Iterator[Root]:
    """Reports on the position after the game's last move, each after a longer search."""
    player = make_player("puct", net, {"batch": 8, "memory": 64})
    question = Question(
        Limit(visits=visits), interval=interval, ownership=True, min_moves=1, stop=task.is_stopped
    )
    return player.analyze(game, question)
