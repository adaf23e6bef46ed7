"""Settings that make training on a CPU fast; to be made before torch is imported."""

from __future__ import annotations

import ctypes
import os
import sys

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # glibc's malloc.h


def prepare() -> None:
    """Idle OpenMP threads sleep, and malloc keeps big blocks.

    With glibc's defaults every activation is a fresh mapping whose pages are zeroed one fault at a time:
    keeping them makes a step 1.3 to 1.7 times as fast. Threads that spin while they wait halve the speed of a
    machine that does something else as well.
    """
    if "torch" not in sys.modules:
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    try:
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_MMAP_THRESHOLD, 1 << 30)
        libc.mallopt(_M_TRIM_THRESHOLD, (1 << 31) - 1)
    except (OSError, AttributeError):
        pass  # no glibc: only speed is lost
