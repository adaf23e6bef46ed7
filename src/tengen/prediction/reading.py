"""Judges of moves beside each other: the policy's p, the net's judgement one move ahead, E[R] of imagined lines.

Of a position with some candidates each judge gives every candidate a number; the higher, the better. What is
compared: how often a judge puts the move that a strong player made first (top-1), and above another candidate
(pairs).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tengen.go.position import Position
from tengen.nets.evaluation import Evaluation, given
from tengen.nets.paired import judging
from tengen.search.imagining import Fight, evaluate_once, fights_at
from tengen.search.long_term import Reader, shares

Doubles = npt.NDArray[np.float64]

# Scales that are tried: points of a reward, or of a lead, that make a candidate e times as good.
SCALES = (1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0, 300.0, 1000.0)


@dataclass(frozen=True)
class Judged:
    """Candidates of one position with what each judge says of them; all lists have one number a candidate.

    right: the index of the move that counts as right, -1 if it is not among them. priors: p. values: the mover's lead
    by the net after the move, None for a net without margins. rewards, deviations: E[R] and the deviation over the
    lines, by the most steps of a line.
    """

    moves: list[int]
    right: int
    priors: list[float]
    values: list[float] | None
    rewards: dict[int, list[float]]
    deviations: dict[int, list[float]]

    def to_json(self) -> dict[str, Any]:
        return vars(self)

    @staticmethod
    def from_json(table: Mapping[str, Any]) -> Judged:
        numbered = {
            key: {int(steps): numbers for steps, numbers in table[key].items()}
            for key in ("rewards", "deviations")
        }
        return Judged(**{**table, **numbered})


class Choice(NamedTuple):
    """A position and the move that counts as right there; the candidates, or None for the policy's likeliest."""

    position: Position
    right: int
    moves: Sequence[int] | None = None


def judge_choices(
    choices: Sequence[Choice],
    reader: Reader,
    candidates: int,
    lines: int,
    steps: Sequence[int],
    rng: np.random.Generator,
) -> list[Judged]:
    """All judges on positions of one board size, read together."""
    said = evaluate_once(reader.net, [choice.position for choice in choices])
    window = reader.agent.shape.window
    sets: list[list[Fight]] = []
    for choice, one in zip(choices, said, strict=True):
        if choice.moves is None:
            sets.append(fights_at(choice.position, given(one.policy), candidates, window))
        else:
            sets.append([Fight(choice.position, move, window) for move in choice.moves])
    fights = [fight for each in sets for fight in each]
    if not fights:
        return [Judged([], -1, [], None, {s: [] for s in steps}, {s: [] for s in steps}) for _ in choices]
    imagined = reader.imagine(fights, lines, max(steps), rng)
    by_steps = {cut: reader.rewards(imagined.cut(cut)).reshape(len(fights), lines) for cut in steps}
    after = evaluate_once(judging(reader.net), [fight.after for fight in fights])
    found, first = [], 0
    for choice, one, each in zip(choices, said, sets, strict=True):
        part = slice(first, first + len(each))
        first += len(each)
        moves = [fight.move for fight in each]
        found.append(
            Judged(
                moves,
                moves.index(choice.right) if choice.right in moves else -1,
                [float(given(one.policy)[move]) for move in moves],
                _leads(each, after[part]),
                {cut: rewards[part].mean(1).tolist() for cut, rewards in by_steps.items()},
                {cut: rewards[part].std(1).tolist() for cut, rewards in by_steps.items()},
            )
        )
    return found


def _leads(fights: Sequence[Fight], said: Sequence[Evaluation]) -> list[float] | None:
    if any(one.lead is None for one in said):
        return None
    return [given(one.lead).of(fight.mover) for fight, one in zip(fights, said, strict=True)]


# A judge: a number for every candidate of a position.
Judge = Callable[[Judged], Doubles]


def by_prior(judged: Judged) -> Doubles:
    return np.array(judged.priors)


def by_value(judged: Judged) -> Doubles:
    """The net one move ahead."""
    return np.array(given(judged.values))


def by_reward(steps: int) -> Judge:
    """E[R]"""
    return lambda judged: np.array(judged.rewards[steps])


def by_share(judge: Judge, scale: float) -> Judge:
    """S: p and the judge's points together, see `tengen.search.long_term.shares`."""
    return lambda judged: shares(np.maximum(judged.priors, 1e-9), judge(judged), scale)


def by_shifted_product(judge: Judge) -> Judge:
    """p x (the judge's points less the least of them): the paper's product, with rewards that cannot be negative."""

    def score(judged: Judged) -> Doubles:
        points = judge(judged)
        return np.asarray(np.array(judged.priors) * (points - points.min()))

    return score


def best_scale(judged: Sequence[Judged], judge: Judge) -> float:
    """The scale at which S makes the right moves likeliest."""
    known = [one for one in judged if one.right >= 0]

    def fit(scale: float) -> float:
        return sum(math.log(max(by_share(judge, scale)(one)[one.right], 1e-12)) for one in known)

    return max(SCALES, key=fit)


def hits(judged: Sequence[Judged], judge: Judge) -> Doubles:
    """1 for each position whose right move the judge puts first, else 0; [n]."""
    return np.array([float(one.right >= 0 and int(judge(one).argmax()) == one.right) for one in judged])


def pairs(judged: Sequence[Judged], judge: Judge) -> Doubles:
    """Of each position with the right move among others: the share of the others that the judge puts below it, a tie
    half; [m]."""
    found = []
    for one in judged:
        if one.right >= 0 and len(one.moves) > 1:
            numbers = judge(one)
            others = np.delete(numbers, one.right)
            found.append(float(((numbers[one.right] > others) + 0.5 * (numbers[one.right] == others)).mean()))
    return np.array(found)


class Mean(NamedTuple):
    """A mean with half the width of its 95 % interval."""

    mean: float
    half: float

    @staticmethod
    def of(values: Doubles) -> Mean:
        if len(values) < 2:
            return Mean(float(values.mean()) if len(values) else math.nan, math.inf)
        return Mean(float(values.mean()), 1.96 * float(values.std(ddof=1)) / math.sqrt(len(values)))


def in_parts(choices: Sequence[Choice], size: int) -> Iterator[Sequence[Choice]]:
    return (choices[first : first + size] for first in range(0, len(choices), size))
