"""Sessions of ONNX Runtime, and what they leave behind."""

from __future__ import annotations

import subprocess
import sys

import pytest
from nets.net_writer import make_net, packed

from tengen.errors import InputError
from tengen.nets.katago_file import parse_net
from tengen.nets.katago_graph import build
from tengen.nets.runtime import Runtime

# ONNX Runtime sets the flag once a process, so this has a process of its own.
SCRIPT = """
import sys
import numpy as np
from tengen.nets.runtime import Runtime

inputs = {"spatial": np.ones((1, 22, 5, 5), np.float32), "global": np.zeros((1, 19), np.float32)}
Runtime(sys.stdin.buffer.read(), threads=2).run(5, inputs, ("value",))
print(sys.float_info.min / 2 > 0)
"""


def test_the_callers_arithmetic_is_left_alone() -> None:
    """Small numbers are flushed to zero in the net's threads, never in the thread of who asks."""
    model = build(parse_net(packed(make_net()))).SerializeToString()
    done = subprocess.run([sys.executable, "-c", SCRIPT], input=model, capture_output=True, check=True)
    assert done.stdout.strip() == b"True"


def test_what_is_no_graph_is_refused() -> None:
    with pytest.raises(InputError, match="cannot load"):
        Runtime(b"no graph").session(9)


@pytest.mark.parametrize("wrong", [{"threads": 0}, {"batch": 0}])
def test_no_threads_or_no_batch_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InputError, match="at least one"):
        Runtime(b"", **wrong)
