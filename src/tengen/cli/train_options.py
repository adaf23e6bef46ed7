"""What the commands of `tengen train` have in common: options, and what comes before torch is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

Changes = Annotated[list[str] | None, Parameter(name=["--set", "-s"], negative=(), allow_leading_hyphen=True)]
Resume = Annotated[bool, Parameter(negative=())]
RunsFolder = Annotated[Path, Parameter(name=["--output", "-o"])]
RUNS = Path("out/runs")


def ready_to_train() -> None:
    """Prepares the machine, which must come before torch is loaded; InputError if torch is not installed."""
    from tengen.training import machine, need_torch

    machine.prepare()
    need_torch()
