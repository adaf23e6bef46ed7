"""Two nets as one: the moves of the one, the judgement of the other (AlphaGo's and CGI's pair of nets)."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence

from tengen.errors import InputError
from tengen.go.position import Position
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import Evaluation
from tengen.nets.evaluator import Evaluator

# Heads that are taken from the policy net; all others are the value net's.
POLICY_HEADS = ("policy", "next")


class Paired:
    """Policy and next moves from one evaluator, everything else from another."""

    def __init__(self, *, policy: Evaluator, value: Evaluator) -> None:
        policy.card.require("policy", "it is to give the moves of a pair of nets")
        self.policy = policy
        self.value = value
        self.card = joined_card(policy.card, value.card)

    def __repr__(self) -> str:
        return f"<pair of {self.policy!r} and {self.value!r}>"

    def evaluate(
        self,
        positions: Sequence[Position],
        *,
        trunk: bool = False,
        komi_labels: Sequence[float] | None = None,
        symmetries: Sequence[int] | None = None,
        sweep: bool = False,
    ) -> list[Evaluation]:
        """See Evaluator; the trunk is the value net's."""
        moves = self.policy.evaluate(positions, symmetries=symmetries)
        judged = self.value.evaluate(
            positions, trunk=trunk, komi_labels=komi_labels, symmetries=symmetries, sweep=sweep
        )
        return [
            dataclasses.replace(value, policy=policy.policy, next_moves=policy.next_moves)
            for policy, value in zip(moves, judged, strict=True)
        ]


def judging(net: Evaluator) -> Evaluator:
    """The net to ask where moves do not matter: of a pair the net that judges, without the time of the other."""
    return net.value if isinstance(net, Paired) else net


def moving(net: Evaluator) -> Evaluator:
    """The net to ask where only moves matter: of a pair the net that gives them."""
    return net.policy if isinstance(net, Paired) else net


def joined_card(policy: ModelCard, value: ModelCard) -> ModelCard:
    """The card of a pair: the heads of both, the board sizes that both play on, the value net's komi labels."""
    sizes = tuple(size for size in value.board_sizes if size in policy.board_sizes)
    if not sizes:
        raise InputError(f"the nets {policy.name} and {value.name} have no board size in common")
    heads = [head for head in policy.heads if head in POLICY_HEADS]
    heads += [head for head in value.heads if head not in POLICY_HEADS]
    both = hashlib.sha256(f"{policy.identity} {value.identity}".encode()).hexdigest()
    return ModelCard(
        name=f"{policy.name}+{value.name}",
        architecture="pair",
        encoding=value.encoding,
        board_sizes=sizes,
        trained_sizes=value.trained_sizes,
        heads=tuple(heads),
        inputs=value.inputs,
        komi_labels=value.komi_labels,
        channels=value.channels,
        weights=policy.weights + value.weights,
        source=f"moves of {policy.name}, judgement of {value.name}",
        source_sha256=both,
    )
