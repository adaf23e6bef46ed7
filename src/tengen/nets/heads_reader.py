"""The reader of our nets and of those of the papers: it follows the heads that the card declares.

`tengen.nets.heads` says what the numbers of each head mean. Two names are older than that table: a card may say
`win_by_komi` for win rates that follow from the margin, and graphs in the form of KataGo's nets
(`tengen.nets.residual_form`) give the margin under the name `score`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.go.position import Position
from tengen.nets.card import ModelCard
from tengen.nets.heads import LEAST_SCALE, LOGISTIC_DEVIATION, MARGIN_UNIT
from tengen.nets.komi import KomiKind, distribution_curve, komi_kind, sigmoid
from tengen.nets.reading import Asked, Readings, softplus
from tengen.nets.runtime import Arrays
from tengen.planes import encode, encode_globals

ARCHITECTURE = "policy"

_OUTPUTS = {"margin": ("margin", "score")}


class HeadsReader:
    """Reads what `card.heads` declares."""

    def __init__(self, card: ModelCard) -> None:
        self.card = card

    def inputs(self, positions: Sequence[Position], symmetries: npt.NDArray[np.uint8]) -> Arrays:
        planes = encode(self.card.encoding, positions, symmetries)
        if not self.card.inputs:
            return {"spatial": planes}
        return {"spatial": planes, "global": encode_globals(self.card.inputs, positions)}

    def outputs(self, there: frozenset[str], trunk: bool) -> tuple[str, ...]:
        heads = [head for head in self.card.heads if head != "win_by_komi" and (trunk or head != "trunk")]
        return tuple(self._name(head, there) for head in heads)

    def win_outputs(self, there: frozenset[str]) -> tuple[str, ...]:
        head = next(head for head in ("values", "value", "margin") if head in self.card.heads)
        return (self._name(head, there),)

    def _name(self, head: str, there: frozenset[str]) -> str:
        for name in _OUTPUTS.get(head, (head,)):
            if name in there:
                return name
        raise InputError(
            f"the card of {self.card.name} declares the head '{head}', and its graph has only the outputs "
            f"{', '.join(sorted(there))}: export the net again"
        )

    def read(self, given: Arrays, asked: Asked) -> Readings:
        policy, margin = given.get("policy"), given.get("margin", given.get("score"))
        mean = deviation = lead = win = values = None
        if margin is not None:
            mean = MARGIN_UNIT * margin[:, 0].astype(np.float64)
            deviation = LOGISTIC_DEVIATION * (LEAST_SCALE + MARGIN_UNIT * softplus(margin[:, 1]))
            lead = mean - asked.komi
            if komi_kind(self.card) is KomiKind.DISTRIBUTION:
                win = distribution_curve(mean, deviation, asked.komi[:, None])[:, 0]
        if "value" in given:
            win = sigmoid(given["value"].reshape(len(asked.komi)))
        if "values" in given:
            values = sigmoid(given["values"])[:, np.argsort(self.card.komi_labels, kind="stable")]
        return Readings(
            policy=None if policy is None else policy.reshape(len(policy), policy.shape[-1]),
            win=win,
            values=values,
            mean=mean,
            deviation=deviation,
            lead=lead,
            ownership=np.tanh(given["ownership"]) if "ownership" in given else None,
            next_moves=given.get("next"),
            trunk=given.get("trunk"),
        )
