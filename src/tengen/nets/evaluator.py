"""The face of every net, and wrappers that have the same face.

    class Evaluator:
        card: ModelCard
        def evaluate(positions, *, trunk=False, komi_labels=None, symmetries=None, sweep=False) -> list[Evaluation]

`Cached` remembers, `Batched` gathers the questions of many threads, `Bagged` averages the eight symmetries; `Paired`
(tengen.nets.paired) joins the policy of one net with the judgement of another.
"""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from tengen.go.color import Color
from tengen.go.perspective import Lead, WinRate
from tengen.go.position import Position
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import Evaluation, Floats, Margin, RawOutput

T = TypeVar("T")


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
        sweep: bool = False,
    ) -> list[Evaluation]:
        """One Evaluation a position, in order; sizes may be mixed.

        trunk: also give the tensor that the heads read.
        komi_labels: the komi to give win rates for; None is the card's labels or, for a net that has none,
            the position's own komi. The answers follow the kind of the net (tengen.nets.komi).
        symmetries: 0 to 7 a position, how the net is shown the board; what it says is turned back.
        sweep: a net with komi as an input is asked again at every label, which costs an evaluation each; without,
            its win rates at other komi than the position's own are drawn through that one. Nets of the other
            kinds are exact anyway.
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
        sweep: bool = False,
    ) -> list[Evaluation]:
        if trunk:
            return self.inner.evaluate(
                positions, trunk=True, komi_labels=komi_labels, symmetries=symmetries, sweep=sweep
            )
        labels = _labels(komi_labels)
        turned = _symmetries(symmetries, len(positions))
        keys: list[Key] = [
            (position_key(p), labels, s, sweep) for p, s in zip(positions, turned, strict=True)
        ]
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
                [positions[i] for i in asked],
                komi_labels=komi_labels,
                symmetries=[turned[i] for i in asked],
                sweep=sweep,
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


def _labels(given: Sequence[float] | None) -> tuple[float, ...] | None:
    """To be compared; a numpy array may be given as well."""
    return None if given is None else tuple(np.asarray(given, np.float64).tolist())


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
    sweep: bool
    answer: Future[Evaluation]

    @property
    def kind(self) -> Key:
        """Questions of one kind may be asked together."""
        return (self.trunk, self.labels, self.sweep)


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
        sweep: bool = False,
    ) -> list[Evaluation]:
        labels = _labels(komi_labels)
        questions = [
            _Question(position, trunk, labels, symmetry, sweep, Future())
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
            for kind in dict.fromkeys(q.kind for q in taken):
                self._answer([q for q in taken if q.kind == kind])
        finally:  # Ctrl-C may hit this thread anywhere: the threads that wait for it must get an error
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
                sweep=questions[0].sweep,
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
        sweep: bool = False,
    ) -> list[Evaluation]:
        turned = _symmetries(symmetries, len(positions))
        views = self.inner.evaluate(
            [position for position in positions for _ in range(8)],
            komi_labels=komi_labels,
            symmetries=[s for _ in positions for s in range(8)],
            sweep=sweep,
        )
        tips: list[Floats | None] = [None] * len(positions)
        if trunk:
            one = self.inner.evaluate(positions, trunk=True, symmetries=turned)
            tips = [evaluation.trunk for evaluation in one]
        return [mean_evaluation(views[8 * i : 8 * i + 8], tips[i]) for i in range(len(positions))]


def mean_evaluation(views: Sequence[Evaluation], trunk: Floats | None = None) -> Evaluation:
    """The mean of several evaluations of one position by one net."""
    first = views[0]
    wins = _there([view.win for view in views])
    leads = _there([view.lead for view in views])
    return Evaluation(
        to_move=first.to_move,
        size=first.size,
        policy=_mean([view.policy for view in views]),
        win=WinRate(float(np.mean([win.of(Color.BLACK) for win in wins])), Color.BLACK) if wins else None,
        lead=Lead(float(np.mean([lead.of(Color.BLACK) for lead in leads])), Color.BLACK) if leads else None,
        margin=_mixture(_there([view.margin for view in views])),
        komi_labels=first.komi_labels,
        win_by_komi=_mean([view.win_by_komi for view in views]),
        ownership=_mean([view.ownership for view in views]),
        next_moves=_mean([view.next_moves for view in views]),
        trunk=trunk,
        raw=_mean_raw(_there([view.raw for view in views])),
    )


def _there(heads: Sequence[T | None]) -> list[T]:
    return [head for head in heads if head is not None]


def _mean(heads: Sequence[Floats | None]) -> Floats | None:
    there = _there(heads)
    return np.mean(there, axis=0, dtype=np.float32) if there else None


def _mean_raw(raws: Sequence[RawOutput]) -> RawOutput | None:
    """The mean of each number; None where the net does not have it."""
    if not raws:
        return None
    values: dict[str, Any] = {}
    for field in dataclasses.fields(RawOutput):
        numbers = _there([getattr(raw, field.name) for raw in raws])
        values[field.name] = float(np.mean(numbers)) if numbers else None
    return RawOutput(**values)


def _mixture(margins: Sequence[Margin]) -> Margin | None:
    """The margin of which each of these is as likely."""
    if not margins:
        return None
    means = np.array([margin.mean for margin in margins])
    squares = np.array([margin.deviation**2 for margin in margins])
    mean = float(means.mean())
    return Margin(mean, float(np.sqrt(max(0.0, (squares + means**2).mean() - mean**2))))
