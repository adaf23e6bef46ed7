"""The chance of a game without result (a triple ko, a long cycle)."""

from __future__ import annotations

from tengen.go.rules import Ko, Rules
from tengen.nets.evaluation import Evaluation


def no_result_chance(said: Evaluation, rules: Rules) -> float | None:
    """By the net where it has that output. Else 0 under superko, which ends every cycle, and unknown otherwise."""
    if said.raw is not None:
        return said.raw.no_result
    return None if rules.ko is Ko.SIMPLE else 0.0
