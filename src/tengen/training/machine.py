"""Settings that make training on a CPU fast; to be made before torch is imported."""

from __future__ import annotations

import ctypes
import os
import sys
import threading

_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4  # glibc's malloc.h


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
        libc.mallopt(_M_MMAP_MAX, 0)  # a threshold for mappings may not be set above 32 MB
        libc.mallopt(_M_TRIM_THRESHOLD, (1 << 31) - 1)
    except (OSError, AttributeError):
        pass  # no glibc: only speed is lost


def give_way() -> None:
    """Lets other threads of this process go first: for the thread that makes batches ahead of their time.

    torch's threads wait for each other many times a step, so one that is held up holds up all.
    """
    if sys.platform == "linux":  # elsewhere priorities are those of processes
        me = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, me, min(19, os.getpriority(os.PRIO_PROCESS, me) + 10))
