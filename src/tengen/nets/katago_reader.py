"""The reader of KataGo's nets: their inputs and what their outputs mean (katago-nets, section 3)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.go.position import Position
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import Floats, RawOutput
from tengen.nets.favour import Favour
from tengen.nets.katago_graph import MAX_SIZE
from tengen.nets.katago_layers import KataGoNet, Multipliers
from tengen.nets.reading import Asked, Bools, Doubles, Readings, softplus
from tengen.nets.runtime import Arrays
from tengen.planes import encode_inputs

ARCHITECTURE = "katago"
OUTPUTS = ("policy", "value", "score", "ownership")
GLOBAL_FAVOUR = 15  # whether the players differ; half the doublings of the side to move


def make_card(net: KataGoNet, name: str = "") -> ModelCard:
    """The card of a KataGo net, before files and measurements are added."""
    return ModelCard(
        name=name or net.name,
        architecture=ARCHITECTURE,
        encoding="katago7s" if net.pass_alive_suicide else "katago7",
        board_sizes=tuple(range(2, MAX_SIZE + 1)),
        heads=("policy", "win_by_komi", "margin", "ownership", "trunk"),
        inputs=("komi", "rules"),
        channels=net.trunk.channels,
        weights=net.weights,
        source=net.name,
        source_sha256=net.sha256,
        settings={
            "version": net.version,
            "multipliers": dataclasses.asdict(net.multipliers),
            "policy_channels": net.policy_channels,
            "blocks": len(net.trunk.blocks),
        },
    )


def read_settings(card: ModelCard) -> tuple[int, Multipliers]:
    """The version and the multipliers that `make_card` wrote."""
    version, multipliers = card.settings.get("version"), card.settings.get("multipliers")
    names = {field.name for field in dataclasses.fields(Multipliers)}
    if (
        type(version) is not int
        or not isinstance(multipliers, dict)
        or set(multipliers) != names
        or not all(type(value) in (int, float) for value in multipliers.values())
    ):
        raise InputError(f"the card of {card.name} does not have the settings of a KataGo net")
    return version, Multipliers(**multipliers)


class KataGoReader:
    """Reads KataGo's outputs.

    optimism: how much of the optimistic policy (nets of version 12 and later) is mixed in, 0 to 1; KataGo's own
    search takes 1 in the tree and 0.2 at the root.
    favour: the side that plays better or worse; None for equal players.
    """

    globals: tuple[str, ...] = ()

    def __init__(self, card: ModelCard, optimism: float = 0.0, favour: Favour | None = None) -> None:
        self.card = card
        self.optimism = optimism
        self.favour = favour
        self.version, self.multipliers = read_settings(card)

    def inputs(self, positions: Sequence[Position], symmetries: npt.NDArray[np.uint8]) -> Arrays:
        planes, globals_ = encode_inputs(self.card.encoding, positions, symmetries)
        if self.favour is not None and self.favour.doublings:
            own = np.array([position.to_move is self.favour.color for position in positions])
            globals_[:, GLOBAL_FAVOUR] = 1.0
            globals_[:, GLOBAL_FAVOUR + 1] = np.where(own, 0.5, -0.5) * self.favour.doublings
        return {"spatial": planes, "global": globals_}

    def outputs(self, there: frozenset[str], trunk: bool) -> tuple[str, ...]:
        return (*OUTPUTS, "trunk") if trunk else OUTPUTS

    def win_outputs(self, there: frozenset[str]) -> tuple[str, ...]:
        return ("value",)

    def read(self, given: Arrays, asked: Asked) -> Readings:
        """A game without result counts as half a win; without `value` every game is taken as decided."""
        chances = outcome_chances(given["value"], asked.decided) if "value" in given else None
        scores: dict[str, Doubles] = {}
        if "score" in given:
            scores = self._scores(given["score"], 0.0 if chances is None else chances[:, 2])
        raw = None
        if chances is not None and scores:
            raw = [
                RawOutput(*row, **dict(zip(scores, numbers, strict=True)))
                for row, numbers in zip(
                    chances.tolist(), np.stack(list(scores.values()), 1).tolist(), strict=True
                )
            ]
        return Readings(
            policy=self._policy(given["policy"]) if "policy" in given else None,
            win=None if chances is None else chances[:, 0] + 0.5 * chances[:, 2],
            mean=scores["score_mean"] + asked.komi if scores else None,
            deviation=scores.get("score_deviation"),
            lead=scores.get("lead"),
            ownership=np.tanh(given["ownership"]) if "ownership" in given else None,
            trunk=given.get("trunk"),
            raw=raw,
        )

    def _policy(self, policy: Floats) -> Floats:
        logits = policy[:, 0]
        if self.optimism and policy.shape[1] > 1:
            logits = logits + self.optimism * (policy[:, 1] - logits)
        return logits

    def _scores(self, score: Floats, no_result: Doubles | float) -> dict[str, Doubles]:
        """The value head's other numbers in points, for the side to move."""
        m = self.multipliers
        given = score.astype(np.float64)
        decided = 1.0 - no_result
        mean = given[:, 0] * m.score_mean
        square = (mean**2 + (softplus(given[:, 1]) * m.score_stdev) ** 2) * decided
        mean = mean * decided
        values = {
            "score_mean": mean,
            "score_deviation": np.sqrt(np.maximum(0.0, square - mean**2)),
            "lead": given[:, 2] * m.lead * decided,
        }
        if self.version < 9:
            return values
        values["variance_time"] = softplus(given[:, 3]) * m.variance_time
        win_error, score_error = given[:, 4], given[:, 5]
        if self.version >= 14:
            values["shortterm_win_error"] = softplus(win_error / 2) * np.sqrt(m.shortterm_value_error)
            values["shortterm_score_error"] = softplus(score_error / 2) * np.sqrt(m.shortterm_score_error)
        elif self.version >= 10:
            values["shortterm_win_error"] = np.sqrt(softplus(win_error) * m.shortterm_value_error)
            values["shortterm_score_error"] = np.sqrt(softplus(score_error) * m.shortterm_score_error)
        else:
            values["shortterm_win_error"] = softplus(win_error)
            values["shortterm_score_error"] = 10.0 * softplus(score_error)
        return values


def outcome_chances(value: Floats, decided: Bools) -> Doubles:
    """Win, loss and no result for the side to move, [n, 3]; no result only where the rules know it."""
    logits = value.astype(np.float64)
    logits[decided, 2] = -np.inf
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))
