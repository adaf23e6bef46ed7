"""The nets that the server has open."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from tengen.go.position import Position
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import Evaluation
from tengen.nets.evaluator import Evaluator
from tengen.nets.known import KNOWN
from tengen.nets.library import CARD, cards, open_net
from tengen.nets.listing import list_nets
from tengen.strength.model import StrengthModel, find_model, models_by_net
from tengen.web.refusal import RefusalError
from tengen.web.turns import Task

# Nets in memory at once. The large ones need about 400 MB each.
MOST_OPEN = 4
# Positions that the net evaluates between two points of a task.
STEP = 16


class Nets:
    """Nets by name, each on one thread: the slots of `Turns` use the cores."""

    def __init__(self, default: str) -> None:
        self.default = default
        self._open: OrderedDict[str, Evaluator] = OrderedDict()
        self._models: dict[str, StrengthModel] = {}
        self._sentences: dict[str, str] = {}
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """Those at hand."""
        return list(dict.fromkeys([self.default, *cards()]))

    def check(self, name: str | None) -> str:
        """The name of a net at hand, the default if none is given. No other text goes to the library, which would
        take a file's name as well. RefusalError otherwise."""
        name = name or self.default
        if name in self.names():
            return name
        if name in KNOWN:
            raise RefusalError(
                409,
                f"the net {name} is not on this machine yet: pull it first, or use {self.default}",
                net=name,
                can_pull=True,
            )
        raise RefusalError(422, f"there is no net with this name: known are {', '.join(self.names())}")

    def open(self, name: str) -> Evaluator:
        """A net that `check` has named. The first time takes a second or two."""
        with self._lock:
            if name not in self._open:
                self._open[name] = open_net(name, threads=1)
                while len(self._open) > MOST_OPEN:
                    dropped, _ = self._open.popitem(last=False)
                    self._models.pop(dropped, None)
            self._open.move_to_end(name)
            return self._open[name]

    def model(self, name: str) -> StrengthModel:
        """The strength model that reads the net's features; InputError if there is none."""
        net = self.open(name)
        with self._lock:
            if name not in self._models:
                self._models[name] = find_model(net, threads=1)
            return self._models[name]

    def sentence(self, name: str) -> str:
        """What the net is, in a few words."""
        if name not in self._sentences:
            about = next((net.about for net in list_nets() if net.name == name), "")
            self._sentences[name] = f"{name}: {about}" if about else name
        return self._sentences[name]

    def to_json(self) -> list[dict[str, Any]]:
        with_model = models_by_net()
        rows = []
        at_hand = cards()
        for net in list_nets():
            ready = net.status != "known"
            card = ModelCard.load(at_hand[net.name][1] / CARD) if ready else None
            rows.append(
                {
                    "name": net.name,
                    "ready": ready,
                    "can_pull": not ready,
                    "size_mb": None if card is None else round(card.weights * 4 / 1e6, 1),
                    "trained_sizes": list(card.trained_sizes)
                    if card is not None and card.trained_sizes
                    else None,
                    "sentence": net.about,
                    "strength_model": card is not None and card.identity in with_model,
                }
            )
        if self.default not in at_hand:
            rows.insert(
                0,
                {
                    "name": self.default,
                    "ready": True,
                    "can_pull": False,
                    "size_mb": None,
                    "trained_sizes": None,
                    "sentence": "the net that the server was started with",
                    "strength_model": False,
                },
            )
        return rows


class Polite:
    """An evaluator that lets other tasks go first after every few positions."""

    def __init__(self, inner: Evaluator, task: Task) -> None:
        self.inner = inner
        self._task = task

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
        found: list[Evaluation] = []
        for at in range(0, len(positions), STEP):
            self._task.point()
            found += self.inner.evaluate(
                positions[at : at + STEP],
                trunk=trunk,
                komi_labels=komi_labels,
                symmetries=None if symmetries is None else symmetries[at : at + STEP],
                sweep=sweep,
            )
        return found


def heads_for_review(card: ModelCard) -> None:
    """InputError for a net that cannot judge a game."""
    for head in ("policy", "win_by_komi", "margin", "ownership"):
        card.require(head, "a review needs it: choose another net")
