"""Exported nets say what the trained ones say, on every board they are for."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from safetensors.torch import load  # noqa: E402

from tengen import Position  # noqa: E402
from tengen.nets.card import ModelCard  # noqa: E402
from tengen.nets.policy import PolicyEvaluator  # noqa: E402
from tengen.nets.policy_net import build_net  # noqa: E402
from tengen.nets.runtime import Runtime  # noqa: E402
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
    runtime = Runtime(to_onnx(net).SerializeToString(), threads=1)
    card = ModelCard("net", "policy", encoding, (9, 13, 19), settings={"pass": net.has_pass})
    ready = PolicyEvaluator(card, runtime)
    for size in (9,) if net.size else (9, 13, 19):
        x = torch.rand(3, planes, size, size)
        with torch.no_grad():
            expected = net(x)["policy"].softmax(1).numpy()
        np.testing.assert_allclose(ready.predict(x.numpy()), expected, atol=1e-6)
    position = Position(9).play("E5")
    (evaluation,) = ready.evaluate([position], symmetries=[6])
    assert evaluation.policy.sum() == pytest.approx(1, abs=1e-5)
    assert evaluation.policy[40] == 0  # taken
    if not net.has_pass:
        assert evaluation.policy[81] == 0


def test_symmetries_are_turned_back() -> None:
    """A net of 1x1 convolutions sees no direction: what it says does not depend on the symmetry it is shown."""
    torch.manual_seed(1)
    net = build_net("res13", planes=39, width=8)
    for module in net.modules():  # only the middle of every kernel
        if isinstance(module, torch.nn.Conv2d):
            middle = module.kernel_size[0] // 2
            kept = module.weight.data[:, :, middle, middle].clone()
            module.weight.data.zero_()
            module.weight.data[:, :, middle, middle] = kept
    card = ModelCard("net", "policy", "golois39", (9,), settings={"pass": False})
    ready = PolicyEvaluator(card, Runtime(to_onnx(net.eval()).SerializeToString(), threads=1))
    position = Position(9).play("C7").play("G3").play("D7")
    views = ready.evaluate([position] * 8, symmetries=list(range(8)))
    for view in views:
        np.testing.assert_allclose(view.policy, views[0].policy, atol=1e-6)


def test_safetensors_bring_the_net_back() -> None:
    net = build_net("tengen", planes=39, width=16, blocks=1)
    other = build_net("tengen", planes=39, width=16, blocks=1)
    other.load_state_dict(load(to_safetensors(net)))
    x = torch.rand(1, 39, 9, 9)
    net.eval(), other.eval()
    assert torch.equal(net(x)["policy"], other(x)["policy"])
