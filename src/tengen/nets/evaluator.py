"""The face of every net, and wrappers that wear it too."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from tengen.go.position import Position
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import Evaluation, Margin, falling


class Evaluator(Protocol):
    """Turns positions into evaluations.

    `komi`: the labels of the win-rate curve, rising; without them nets choose (those that take komi as an
    input evaluate the position's own only). `symmetries`: one of 0 to 7 for each position, through which the
    net sees it; what it says is turned back. `trunk`: whether the trunk's output is wanted. Positions of
    several board sizes may be mixed. Raises InputError for a position the net does not fit.
    """

    @property
    def card(self) -> ModelCard: ...

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        komi: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
        trunk: bool = False,
    ) -> list[Evaluation]: ...


class Batched:
    """Evaluates in batches of at most `size`, however many positions are asked for."""

    def __init__(self, net: Evaluator, size: int = 16) -> None:
        self.net = net
        self.size = size

    @property
    def card(self) -> ModelCard:
        return self.net.card

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        komi: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
        trunk: bool = False,
    ) -> list[Evaluation]:
        # A curve over k labels is k positions to a net that takes komi as an input.
        step = max(1, self.size // max(1, len(komi or ())))
        found: list[Evaluation] = []
        for i in range(0, len(positions), step):
            part = symmetries[i : i + step] if symmetries is not None else None
            found += self.net.evaluate(positions[i : i + step], komi=komi, symmetries=part, trunk=trunk)
        return found


class Cached:
    """Remembers the last `entries` evaluations; safe to share between threads.

    A position is known by its whole record and rules: nets see earlier boards, and superko bars by them.
    """

    def __init__(self, net: Evaluator, entries: int = 20_000) -> None:
        self.net = net
        self.entries = entries
        self.hits = 0
        self.misses = 0
        self._known: OrderedDict[object, Evaluation] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def card(self) -> ModelCard:
        return self.net.card

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        komi: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
        trunk: bool = False,
    ) -> list[Evaluation]:
        labels = None if komi is None else tuple(komi)
        keys = [
            (
                p.size,
                p.record_hash,
                p.side,
                p.rules,
                labels,
                symmetries[i] if symmetries is not None else 0,
                trunk,
            )
            for i, p in enumerate(positions)
        ]
        with self._lock:
            found = {key: self._known[key] for key in keys if key in self._known}
            for key in found:
                self._known.move_to_end(key)
        wanted = {key: i for i, key in enumerate(keys) if key not in found}
        self.hits += len(positions) - len(wanted)
        self.misses += len(wanted)
        if wanted:
            places = list(wanted.values())
            part = [symmetries[i] for i in places] if symmetries is not None else None
            new = self.net.evaluate([positions[i] for i in places], komi=komi, symmetries=part, trunk=trunk)
            found.update(zip(wanted, new, strict=True))
            with self._lock:
                self._known.update(zip(wanted, new, strict=True))
                while len(self._known) > self.entries:
                    self._known.popitem(last=False)
        return [found[key] for key in keys]


class Bagged:
    """The mean over the eight symmetries of the board (Cazenave 2017, section 3.3: bagging)."""

    def __init__(self, net: Evaluator) -> None:
        self.net = net

    @property
    def card(self) -> ModelCard:
        return self.net.card

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        komi: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
        trunk: bool = False,
    ) -> list[Evaluation]:
        """`symmetries` do not matter: all are seen anyway."""
        every = [p for p in positions for _ in range(8)]
        seen = self.net.evaluate(every, komi=komi, symmetries=list(range(8)) * len(positions), trunk=trunk)
        return [_mean(seen[i : i + 8]) for i in range(0, len(seen), 8)]


def _mean(parts: Sequence[Evaluation]) -> Evaluation:
    means = np.array([e.margin.mean for e in parts])
    # Of a mixture: the mean of the variances and the variance of the means.
    variance = np.mean([e.margin.deviation**2 for e in parts]) + means.var()
    trunks = [e.trunk for e in parts if e.trunk is not None]
    return replace(
        parts[0],
        policy=np.mean([e.policy for e in parts], axis=0),
        win_by_komi=falling(np.mean([e.win_by_komi for e in parts], axis=0)),
        margin=Margin(float(means.mean()), float(variance**0.5)),
        ownership=np.mean([e.ownership for e in parts], axis=0),
        trunk=np.mean(trunks, axis=0) if trunks else None,
    )
