"""Trick plays: the estimated strength of players who fall for them, and of those who refute them (Section 7.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tengen.games.problems import Board, Problem
from tengen.go.color import Color
from tengen.go.game import Game
from tengen.nets.evaluation import given
from tengen.nets.evaluator import Evaluator
from tengen.progress import Report, silent
from tengen.strength.estimate import Estimate, estimate_lines
from tengen.strength.model import StrengthModel

_BATCH = 16


@dataclass(frozen=True)
class Judged:
    """A problem on one board: the estimates from the solver's moves in both lines, and the difference of the
    solver's leads after the refutation and after the failure, in points."""

    board: Board
    refutation: Estimate
    failure: Estimate
    gain: float

    def to_json(self) -> dict[str, Any]:
        return {
            "how": self.board.how,
            "source": self.board.source,
            "move": len(self.board.game.moves),
            "failure": self.failure.rating,
            "refutation": self.refutation.rating,
            "points": self.gain,
        }


@dataclass(frozen=True)
class Trick:
    """A problem and the results on each of its boards; ratings are means over them."""

    problem: Problem
    judged: list[Judged]

    @property
    def refutation(self) -> float:
        return float(np.mean([one.refutation.rating for one in self.judged]))

    @property
    def failure(self) -> float:
        return float(np.mean([one.failure.rating for one in self.judged]))

    @property
    def gain(self) -> float:
        return float(np.mean([one.gain for one in self.judged]))

    @property
    def as_expected(self) -> bool:
        """The refutation is rated above the failure."""
        return self.refutation > self.failure

    def to_json(self, published: tuple[float, float] | None = None) -> dict[str, Any]:
        """`published` are the thesis' ratings of failure and refutation."""
        return {
            "problem": self.problem.name,
            "failure": self.failure,
            "refutation": self.refutation,
            "points": self.gain,
            "published": {"failure": published[0], "refutation": published[1]} if published else None,
            "boards": [one.to_json() for one in self.judged],
        }


def judge(
    problems: Sequence[tuple[Problem, Sequence[Board]]],
    evaluator: Evaluator,
    model: StrengthModel,
    *,
    scale: str | None = None,
    progress: Report = silent,
) -> list[Trick]:
    """Rates the solver's moves in both lines of each problem, on each of its boards.

    A line is a very short record: the game up to the problem, then the line. Only the solver's moves in the line
    count, as in the thesis.
    """
    evaluator.card.require("margin", "what a trick play costs is counted in points")
    games: list[Game] = []
    lines: list[list[int]] = []
    solvers: list[Color] = []
    for problem, boards in problems:
        for board in boards:
            swapped = board.placement.colors_swapped
            solver = problem.solver.opponent if swapped else problem.solver
            for line in (problem.refutation, problem.failure):
                game = board.after(line)
                first = len(board.game.moves)
                games.append(game)
                lines.append([at for at in range(first, len(game.moves)) if game.moves[at].color is solver])
                solvers.append(solver)
    estimates = estimate_lines(games, lines, evaluator, model, scale=scale, progress=progress)
    ends: list[float] = []
    for begin in range(0, len(games), _BATCH):
        positions = [game.position() for game in games[begin : begin + _BATCH]]
        some = zip(evaluator.evaluate(positions), solvers[begin : begin + _BATCH], strict=True)
        ends += [given(said.lead).of(solver) for said, solver in some]
    answers = iter(zip(estimates, ends, strict=True))
    tricks = []
    for problem, boards in problems:
        judged = []
        for board in boards:
            (right, kept), (wrong, lost) = next(answers), next(answers)
            judged.append(Judged(board, right, wrong, kept - lost))
        tricks.append(Trick(problem, judged))
    return tricks
