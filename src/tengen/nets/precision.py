"""Which precision of a net to use on this machine.

int16 and int8 are the default where they are near enough to fp32 (`tengen.nets.fidelity`, measured when the net was
converted) and clearly faster here. Which is fastest depends on the processor: with byte products (VNNI, ARM's dot
product) int8 is, by far; with AVX2 alone int16 (`tengen.nets.int16`). So all are timed once on each kind of
processor, and the figures remembered.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tengen.errors import InputError
from tengen.files import write_whole
from tengen.go.position import Position
from tengen.nets.card import PRECISIONS, ModelCard
from tengen.nets.evaluator import Evaluator

GAIN = 1.1  # how many times faster a less exact precision must be to be worth what it loses
_BATCH = 8
_TURNS = 3
_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Choice:
    """The precision to use unless asked otherwise, and why."""

    precision: str
    reason: str

    def to_json(self) -> dict[str, str]:
        return {"default": self.precision, "reason": self.reason}


def processor() -> str:
    """What this machine's processor is called, and how many cores of it there are."""
    name = platform.processor() or platform.machine()
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as lines:
            facts = dict(line.split(":", 1) for line in lines if ":" in line)
    except OSError:
        facts = {}
    # Names of processors in clouds say little; family, model and features tell them apart.
    known = {key.strip(): value.strip() for key, value in facts.items()}
    parts = [known.get("model name", name), known.get("cpu family", ""), known.get("model", "")]
    features = known.get("flags", known.get("Features", "")).split()
    bytes_at_once = [flag for flag in features if "vnni" in flag or flag == "asimddp"]
    return " ".join([part for part in parts if part] + bytes_at_once + [f"x{os.cpu_count() or 1}"])


def default_precision(card: ModelCard, open_net: Callable[[str], Evaluator], memory: Path) -> Choice:
    """`open_net` gives the net in a precision, in one thread; `memory` is the file that speeds are remembered in."""
    if len(card.files) == 1:
        return Choice(next(iter(card.files)), "the net has no other")
    near = PRECISIONS[: PRECISIONS.index(card.precision) + 1]
    names = [name for name in PRECISIONS if name in card.files and name in near]
    if len(names) == 1:
        return Choice(names[0], "no other comes near enough to it, or none was measured")
    here = processor()
    speeds = remembered_speeds(card, names, open_net, memory, here)
    chosen = names[0]
    for name in names[1:]:
        if speeds[name] >= GAIN * speeds[chosen]:
            chosen = name
    figures = ", ".join(f"{name} {speeds[name]:.1f}" for name in names)
    why = (
        "near enough to fp32, and faster here"
        if chosen != names[0]
        else f"no other is {GAIN:g} times as fast here"
    )
    return Choice(chosen, f"{why}: {figures} positions/s a core on {here}")


def remembered_speeds(
    card: ModelCard, names: Sequence[str], open_net: Callable[[str], Evaluator], memory: Path, here: str
) -> dict[str, float]:
    """Positions a second in each of these precisions, measured if this processor has not run these files yet."""
    key = " ".join(file.sha256[:16] for _, file in sorted(card.files.items()))
    known = _read(memory)
    speeds = known.get(here, {}).get(key)
    if isinstance(speeds, dict) and all(type(speeds.get(name)) is float for name in names):
        return speeds
    speeds = measure(card, names, open_net)
    try:
        known = _read(memory)  # others may have written meanwhile
        write_whole(memory, json.dumps({**known, here: {**known.get(here, {}), key: speeds}}, indent=1))
    except InputError:
        pass  # a cache that may not be written to: measured again the next time
    return speeds


def measure(card: ModelCard, names: Sequence[str], open_net: Callable[[str], Evaluator]) -> dict[str, float]:
    """Positions a second of one core in each of these precisions, on the largest board in batches of 8.

    It is the thread's own time that counts, so that a busy machine does not decide; the nets must therefore run
    in one thread.
    """
    positions = [Position(max(card.board_sizes)) for _ in range(_BATCH)]
    nets = {name: open_net(name) for name in names}
    for net in nets.values():
        net.evaluate(positions)  # makes the session
    best = dict.fromkeys(nets, 0.0)
    for _ in range(_TURNS):
        for name, net in nets.items():  # by turns: caches and clock rates change
            started, done = time.thread_time(), 0
            while (spent := time.thread_time() - started) < _SECONDS:
                net.evaluate(positions)
                done += _BATCH
            best[name] = max(best[name], done / spent)
    return {name: round(rate, 2) for name, rate in best.items()}


def _read(memory: Path) -> dict[str, dict[str, dict[str, float]]]:
    try:
        known = json.loads(memory.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(known, dict) or not all(isinstance(nets, dict) for nets in known.values()):
        return {}
    return known
