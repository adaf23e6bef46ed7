"""The net a player is given, by name."""

from __future__ import annotations

from functools import cache

from tengen.nets.evaluator import Evaluator
from tengen.nets.fake import FakeEvaluator
from tengen.nets.library import load_net


@cache
def open_net(name: str | None = None, precision: str | None = None, threads: int | None = None) -> Evaluator:
    """As `load_net`, or the net `fake`, which knows no Go, for trying things out.

    Asked for again it is the same object: the players of a match share it.
    """
    return FakeEvaluator() if name == "fake" else load_net(name, precision, threads)
