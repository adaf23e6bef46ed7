"""The net a player is given, by name."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tengen.errors import InputError
from tengen.nets.evaluator import Evaluator
from tengen.nets.fake import FakeEvaluator


@cache
def open_net(name: str | None = None, precision: str | None = None, threads: int | None = None) -> Evaluator:
    """The net of that name: a KataGo file (`.bin.gz`, `.txt.gz`), or `fake`, which knows no Go.

    Asked for again it is the same object: two players of a match share it.
    """
    if name == "fake":
        return FakeEvaluator()
    if name is None:
        raise InputError("name a net: --net FILE.bin.gz")
    path = Path(name)
    if not path.is_file():
        raise InputError(f"there is no net '{name}': give a KataGo file")
    if precision not in (None, "fp32"):
        raise InputError(f"{path} can be run in fp32 only")
    from tengen.nets.katago_file import read_net
    from tengen.nets.katago_graph import build
    from tengen.nets.katago_net import KataGoEvaluator, make_card
    from tengen.nets.runtime import Runtime

    net = read_net(path)
    return KataGoEvaluator(make_card(net), Runtime(build(net).SerializeToString(), threads))
