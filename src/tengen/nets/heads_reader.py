"""The reader of our nets and of those of the papers: it follows the heads that the card declares.

`tengen.nets.heads` says what the numbers of each head mean. A card may also say `win_by_komi` for win rates that
follow from the margin.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.go.position import Position
from tengen.nets.card import ModelCard
from tengen.nets.heads import LEAST_SCALE, LOGISTIC_DEVIATION, margin_unit
from tengen.nets.komi import distribution_curve, sigmoid
from tengen.nets.reading import Asked, Readings, softplus
from tengen.nets.runtime import Arrays
from tengen.planes import encode, encode_globals

ARCHITECTURE = "policy"


class HeadsReader:
    """Reads what `card.heads` declares."""

    def __init__(self, card: ModelCard) -> None:
        self.card, self.globals = card, card.inputs
        least = card.settings.get("least_scale", LEAST_SCALE)
        if type(least) not in (int, float) or not 0 < least <= LEAST_SCALE:
            raise InputError(
                f"the card of {card.name}: settings.least_scale is above 0 and at most {LEAST_SCALE:g} points, "
                f"not {least!r}"
            )
        self.least_scale = float(least)

    def inputs(self, positions: Sequence[Position], symmetries: npt.NDArray[np.uint8]) -> Arrays:
        planes = encode(self.card.encoding, positions, symmetries)
        if not self.card.inputs:
            return {"spatial": planes}
        return {"spatial": planes, "global": encode_globals(self.card.inputs, positions)}

    def outputs(self, there: frozenset[str], trunk: bool) -> tuple[str, ...]:
        heads = [head for head in self.card.heads if head != "win_by_komi" and (trunk or head != "trunk")]
        for head in heads:
            self._check(head, there)
        return tuple(heads)

    def win_outputs(self, there: frozenset[str]) -> tuple[str, ...]:
        head = next(head for head in ("values", "value", "margin") if head in self.card.heads)
        self._check(head, there)
        return (head,)

    def _check(self, head: str, there: frozenset[str]) -> None:
        if head not in there:
            raise InputError(
                f"the card of {self.card.name} declares the head '{head}', and its graph has only the outputs "
                f"{', '.join(sorted(there))}: export the net again"
            )

    def read(self, given: Arrays, asked: Asked) -> Readings:
        policy, margin = given.get("policy"), given.get("margin")
        mean = deviation = lead = win = values = None
        if margin is not None:
            unit = margin_unit(asked.points)
            mean = unit * margin[:, 0].astype(np.float64)
            deviation = LOGISTIC_DEVIATION * (self.least_scale + unit * softplus(margin[:, 1]))
            lead = mean - asked.komi
            if "value" not in given and "values" not in given:
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
