"""Problems with a right and a wrong move, before the judges of `tengen.prediction.reading`: which do they prefer?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tengen.games.problems import Board, Problem
from tengen.nets.evaluation import given
from tengen.prediction.reading import Choice, Judged, by_reward, by_share, judge_choices
from tengen.prediction.reading_boards import ReadingBoard
from tengen.progress import Progress, Report, silent
from tengen.search.long_term import Reader

TRICK = "trick play"
# The judges: the policy, the net's lead one move ahead, the imagined lines, and these together with the policy.
JUDGES = ("p", "lead", "E[R]", "S")
RIGHT, WRONG = 0, 1  # the order of the two moves


@dataclass(frozen=True)
class Item:
    """A problem: the positions in which it is posed, each with its right and its wrong move."""

    name: str
    kind: str
    choices: list[Choice]


@dataclass(frozen=True)
class Compared:
    """What each judge says of the right and of the wrong move; means over the boards of a problem.

    A judge that the net lacks is not there.
    """

    name: str
    kind: str
    boards: int
    judges: dict[str, tuple[float, float]]

    def prefers_right(self, judge: str) -> bool:
        return self.judges[judge][RIGHT] > self.judges[judge][WRONG]

    def to_json(self) -> dict[str, Any]:
        judged = {judge: {"right": pair[RIGHT], "wrong": pair[WRONG]} for judge, pair in self.judges.items()}
        return {"name": self.name, "kind": self.kind, "boards": self.boards, "judges": judged}


def drawn_item(board: ReadingBoard) -> Item:
    position = board.position
    moves = [position.point(board.right), position.point(board.wrong)]
    return Item(board.name, board.kind, [Choice(position, moves[RIGHT], moves)])


def trick_item(problem: Problem, boards: Sequence[Board]) -> Item | None:
    """A trick play at the first move in which refutation and failure differ; None if that is not the solver's."""
    choices = []
    for board in boards:
        right, wrong = board.carried(problem.refutation), board.carried(problem.failure)
        position = board.game.position()
        for one, other in zip(right, wrong, strict=False):
            if one != other:
                if one.color is not right[0].color or other.color is not one.color:
                    return None
                position.to_move = one.color
                choices.append(Choice(position, one.point, [one.point, other.point]))
                break
            position.play_as(int(one.color), one.point)
        else:
            return None
    return Item(problem.name, TRICK, choices)


def compare(
    items: Sequence[Item],
    reader: Reader,
    lines: int,
    steps: int,
    scale: float,
    seed: int,
    progress: Report = silent,
) -> list[Compared]:
    """Reads each item; the lines of an item depend on the seed and its place alone."""
    found = []
    for number, item in enumerate(items):
        progress(Progress("reading", number, len(items)))
        rng = np.random.default_rng([seed, number])
        judged = judge_choices(item.choices, reader, len(JUDGES), lines, [steps], rng)
        found.append(Compared(item.name, item.kind, len(judged), _judges(judged, steps, scale)))
    return found


def _judges(judged: Sequence[Judged], steps: int, scale: float) -> dict[str, tuple[float, float]]:
    share = by_share(by_reward(steps), scale)
    numbers: dict[str, list[Any]] = {"p": [one.priors for one in judged]}
    if all(one.values is not None for one in judged):
        numbers["lead"] = [given(one.values) for one in judged]
    numbers["E[R]"] = [one.rewards[steps] for one in judged]
    numbers["S"] = [share(one) for one in judged]
    return {name: (_mean(rows, RIGHT), _mean(rows, WRONG)) for name, rows in numbers.items()}


def _mean(rows: Sequence[Any], which: int) -> float:
    return float(np.mean([row[which] for row in rows]))


def summary(compared: Sequence[Compared]) -> list[str]:
    """How often each judge prefers the right move, and S where others do not."""
    judges = [judge for judge in JUDGES if all(judge in one.judges for one in compared)]
    right = {judge: sum(one.prefers_right(judge) for one in compared) for judge in judges}
    counts = ", ".join(f"{judge} {count}" for judge, count in right.items())
    said = [f"Of {len(compared)} the right move is preferred by: {counts}."]
    for judge in judges[:-1]:
        missed = [one for one in compared if not one.prefers_right(judge)]
        both = sum(one.prefers_right("S") for one in missed)
        lost = sum(not one.prefers_right("S") for one in compared if one.prefers_right(judge))
        said.append(
            f"Where {judge} prefers the wrong move ({len(missed)}), S prefers the right one in {both}; where {judge} "
            f"prefers the right one, S prefers the wrong one in {lost}."
        )
    return said
