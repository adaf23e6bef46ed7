"""Exported nets say what the trained ones say, on every board they are for."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from safetensors.torch import load  # noqa: E402

from tengen.nets.policy import PolicySession  # noqa: E402
from tengen.nets.policy_net import build_net  # noqa: E402
from tengen.training.export import to_onnx, to_safetensors  # noqa: E402

NETS = [
    ("tengen", {"width": 16, "blocks": 2, "pooling": 2, "next_moves": 1}, "golois39"),
    ("res13-sbn", {"width": 8}, "golois39"),
    ("dark13", {"width": 8}, "golois39"),
    ("6al-2fc", {"width": 8, "steps": 2, "size": 9}, "dann41"),
    ("maddison12", {"width": 8, "size": 9}, "alphago48"),
    ("darkforest12", {"width": 12}, "alphago48"),
]


@pytest.mark.parametrize(("name", "options", "encoding"), NETS, ids=[n[0] for n in NETS])
def test_onnx_agrees_with_torch(name: str, options: dict[str, int], encoding: str) -> None:
    torch.manual_seed(0)
    planes = int(encoding[-2:])
    net = build_net(name, planes=planes, **options)
    net(torch.rand(8, planes, 9, 9))  # running statistics that are not those of the start
    net.eval()
    session = PolicySession(to_onnx(net, encoding).SerializeToString())
    assert (session.encoding, session.has_pass) == (encoding, name == "tengen")
    for size in (9,) if net.size else (9, 13, 19):
        x = torch.rand(3, planes, size, size)
        with torch.no_grad():
            expected = net(x)["policy"].softmax(1).numpy()
        np.testing.assert_allclose(session.predict(x.numpy()), expected, atol=1e-6)


def test_safetensors_bring_the_net_back() -> None:
    net = build_net("tengen", planes=39, width=16, blocks=1)
    other = build_net("tengen", planes=39, width=16, blocks=1)
    other.load_state_dict(load(to_safetensors(net)))
    x = torch.rand(1, 39, 9, 9)
    net.eval(), other.eval()
    assert torch.equal(net(x)["policy"], other(x)["policy"])
