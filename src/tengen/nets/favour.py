"""Unequal players: KataGo's nets take as an input that one side searches more, its playout doubling advantage."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

from tengen.errors import InputError
from tengen.go.color import Color
from tengen.nets.evaluator import Bagged, Evaluator

MOST_DOUBLINGS = 3.0


@dataclass(frozen=True, slots=True)
class Favour:
    """A side that plays as with its playouts doubled so many times, -3 to 3; below 0 it is the weaker one."""

    color: Color
    doublings: float


def takes_favour(net: Evaluator) -> bool:
    """Whether unequal players are an input of the net."""
    from tengen.nets.katago_reader import KataGoReader
    from tengen.nets.net_evaluator import NetEvaluator

    net = net.inner if isinstance(net, Bagged) else net
    return isinstance(net, NetEvaluator) and isinstance(net.reader, KataGoReader)


def favouring(net: Evaluator, favour: Favour) -> Evaluator:
    """The same net, which evaluates positions for these players; InputError for a net without this input."""
    from tengen.nets.katago_reader import KataGoReader
    from tengen.nets.net_evaluator import NetEvaluator

    if not isinstance(net, NetEvaluator) or not isinstance(net.reader, KataGoReader):
        raise InputError(
            f"net {net.card.name} takes no playout doubling advantage: choose one of KataGo's nets"
        )
    other = copy(net)
    other.reader = KataGoReader(net.card, net.reader.optimism, favour)
    return other
