"""The face of every net, and wrappers that have the same face.

    class Evaluator:
        card: ModelCard
        def evaluate(positions, *, trunk=False, komi_labels=None, symmetries=None) -> list[Evaluation]

`Cached` remembers, `Batched` gathers the questions of many threads, `Bagged` averages the eight symmetries.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from tengen.go.color import Color
from tengen.go.perspective import Lead, WinRate
from tengen.go.position import Position
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import Evaluation, Floats, Margin, falling


@runtime_checkable
class Evaluator(Protocol):
    """Positions in, judgements out."""

    @property
    def card(self) -> ModelCard: ...

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        trunk: bool = False,
        komi_labels: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
    ) -> list[Evaluation]:
        """One Evaluation a position, in order; sizes may be mixed.

        trunk: also give the tensor that the heads read.
        komi_labels: the komi to give win rates for; None is the card's labels or, for a net that has none,
            the position's own komi.
        symmetries: 0 to 7 a position, how the net is shown the board; what it says is turned back.
        """
        ...


Key = tuple[object, ...]


class Cached:
    """Remembers the last `capacity` evaluations of an evaluator; safe to share between threads.

    Evaluations with a trunk are not kept: they are large, and what is picked from them depends on the move
    to come, not on the position alone.
    """

    def __init__(self, inner: Evaluator, capacity: int = 50_000) -> None:
        if capacity < 1:
            raise ValueError("a cache needs room for at least one evaluation")
        self.inner = inner
        self.capacity = capacity
        self.hits = 0
        self.misses = 0
        self._kept: OrderedDict[Key, Evaluation] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def card(self) -> ModelCard:
        return self.inner.card

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        trunk: bool = False,
        komi_labels: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
    ) -> list[Evaluation]:
        if trunk:
            return self.inner.evaluate(positions, trunk=True, komi_labels=komi_labels, symmetries=symmetries)
        labels = None if komi_labels is None else tuple(float(label) for label in komi_labels)
        turned = _symmetries(symmetries, len(positions))
        keys: list[Key] = [(position_key(p), labels, s) for p, s in zip(positions, turned, strict=True)]
        found: dict[Key, Evaluation] = {}
        missing: dict[Key, int] = {}
        with self._lock:
            for i, key in enumerate(keys):
                if key in self._kept:
                    self._kept.move_to_end(key)
                    found[key] = self._kept[key]
                    self.hits += 1
                else:
                    missing.setdefault(key, i)
                    self.misses += 1
        if missing:
            asked = list(missing.values())
            answers = self.inner.evaluate(
                [positions[i] for i in asked], komi_labels=komi_labels, symmetries=[turned[i] for i in asked]
            )
            found.update(zip(missing, answers, strict=True))
            with self._lock:
                for key in missing:
                    self._kept[key] = found[key]
                while len(self._kept) > self.capacity:
                    self._kept.popitem(last=False)
        return [found[key] for key in keys]


def _symmetries(given: Sequence[int] | None, count: int) -> list[int]:
    """One a position, as plain numbers: a numpy array may be given as well."""
    return [0] * count if given is None else [int(symmetry) for symmetry in given]


def position_key(position: Position) -> Key:
    """Equal for positions with the same stones, turn, rules and record: nets look at the history as well."""
    return (
        position.size,
        position.rules,
        position.side,
        position.stones().tobytes(),
        position.moves().tobytes(),
        position.record_hash,  # stones of the setup that were taken since: a ko, a board that may not come back
        position.handicap_bonus,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    position: Position
    trunk: bool
    labels: tuple[float, ...] | None
    symmetry: int
    answer: Future[Evaluation]


class Batched:
    """Gathers what several threads ask at the same time into one call of an evaluator.

    A thread that asks waits until `batch` positions are waiting or `wait` seconds have passed, then one of the
    waiting threads asks for all. Made for searches that run side by side on one net.
    """

    def __init__(self, inner: Evaluator, batch: int = 16, wait: float = 0.002) -> None:
        self.inner = inner
        self.batch = batch
        self.wait = wait
        self._waiting: list[_Question] = []
        self._changed = threading.Condition()

    @property
    def card(self) -> ModelCard:
        return self.inner.card

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        trunk: bool = False,
        komi_labels: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
    ) -> list[Evaluation]:
        labels = None if komi_labels is None else tuple(float(label) for label in komi_labels)
        questions = [
            _Question(position, trunk, labels, symmetry, Future())
            for position, symmetry in zip(positions, _symmetries(symmetries, len(positions)), strict=True)
        ]
        taken: list[_Question] = []
        try:
            with self._changed:
                self._waiting += questions
                if len(self._waiting) >= self.batch:
                    self._changed.notify_all()
                else:
                    self._changed.wait_for(
                        lambda: (
                            len(self._waiting) >= self.batch
                            or all(q.answer.running() or q.answer.done() for q in questions)
                        ),
                        self.wait,
                    )
                taken, self._waiting = self._waiting, []
                for question in taken:
                    question.answer.set_running_or_notify_cancel()
                self._changed.notify_all()
            for kind in dict.fromkeys((q.trunk, q.labels) for q in taken):
                self._answer([q for q in taken if (q.trunk, q.labels) == kind])
        finally:  # Ctrl-C may hit this thread anywhere: those who wait for it must hear of it
            for question in taken:
                if not question.answer.done():
                    question.answer.set_exception(RuntimeError("the thread that asked the net was stopped"))
        return [question.answer.result() for question in questions]

    def _answer(self, questions: list[_Question]) -> None:
        """Asks for questions of one kind; an error is the answer to them, and to no others."""
        try:
            answers = self.inner.evaluate(
                [q.position for q in questions],
                trunk=questions[0].trunk,
                komi_labels=questions[0].labels,
                symmetries=[q.symmetry for q in questions],
            )
            for question, answer in zip(questions, answers, strict=True):
                question.answer.set_result(answer)
        except Exception as error:
            for question in questions:
                if not question.answer.done():
                    question.answer.set_exception(error)


class Bagged:
    """The mean of what an evaluator says of a board seen in its eight symmetries (Golois, section on bagging).

    Policies, win rates, margins and ownership are averaged; the trunk is that of the given symmetry.
    """

    def __init__(self, inner: Evaluator) -> None:
        self.inner = inner

    @property
    def card(self) -> ModelCard:
        return self.inner.card

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        trunk: bool = False,
        komi_labels: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
    ) -> list[Evaluation]:
        turned = _symmetries(symmetries, len(positions))
        views = self.inner.evaluate(
            [position for position in positions for _ in range(8)],
            komi_labels=komi_labels,
            symmetries=[s for _ in positions for s in range(8)],
        )
        tips: list[Floats | None] = [None] * len(positions)
        if trunk:
            one = self.inner.evaluate(positions, trunk=True, komi_labels=komi_labels, symmetries=turned)
            tips = [evaluation.trunk for evaluation in one]
        return [mean_evaluation(views[8 * i : 8 * i + 8], tips[i]) for i in range(len(positions))]


def mean_evaluation(views: Sequence[Evaluation], trunk: Floats | None = None) -> Evaluation:
    """The mean of several evaluations of one position. The deviation is that of the mixture."""
    means = np.array([view.margin.mean for view in views])
    squares = np.array([view.margin.deviation**2 for view in views])
    mean = float(means.mean())
    deviation = float(np.sqrt(max(0.0, (squares + means**2).mean() - mean**2)))
    return Evaluation(
        to_move=views[0].to_move,
        policy=np.mean([view.policy for view in views], axis=0, dtype=np.float32),
        win=WinRate(float(np.mean([view.win.of(Color.BLACK) for view in views])), Color.BLACK),
        lead=Lead(float(np.mean([view.lead.of(Color.BLACK) for view in views])), Color.BLACK),
        margin=Margin(mean, deviation),
        komi_labels=views[0].komi_labels,
        win_by_komi=falling(np.mean([view.win_by_komi for view in views], axis=0)),
        ownership=np.mean([view.ownership for view in views], axis=0, dtype=np.float32),
        trunk=trunk,
    )
