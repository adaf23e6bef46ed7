"""Plain nets in 16-bit integers against their float32 graphs."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402
import onnx  # noqa: E402

from tengen import _native, open_net  # noqa: E402
from tengen.errors import InputError  # noqa: E402
from tengen.go.position import Position  # noqa: E402
from tengen.nets.board_net import BoardNet, build_net  # noqa: E402
from tengen.nets.int16_plain import PlainInt16Runtime, plain_net  # noqa: E402
from tengen.nets.runtime import Runtime  # noqa: E402
from tengen.training.export import declared_card, to_onnx, write_net  # noqa: E402


def policy(width: int = 16, layers: int = 5, next_moves: int = 2) -> BoardNet:
    torch.manual_seed(1)
    return build_net("cgi-policy", planes=49, width=width, layers=layers, next_moves=next_moves)


def value(architecture: str = "bv-ml-vn", layers: int = 4) -> BoardNet:
    torch.manual_seed(1)
    return build_net(architecture, planes=50, size=9, width=16, layers=layers, hidden=16)


def some_planes(count: int, planes: int, size: int) -> np.ndarray:
    return (np.random.default_rng(size).random((count, planes, size, size)) < 0.2).astype(np.float32)


def off(found: np.ndarray, expected: np.ndarray) -> float:
    """The error, in deviations of what is expected."""
    assert found.shape == expected.shape
    return float(np.sqrt(np.mean((found - expected) ** 2)) / max(expected.std(), 0.01))


@pytest.mark.parametrize("size", [5, 9, 13, 19])
@pytest.mark.parametrize("layers", [4, 5, 6])
def test_a_policy_net_answers_as_its_graph_does(size: int, layers: int) -> None:
    graph = to_onnx(policy(layers=layers).eval())
    runtime, exact = PlainInt16Runtime.of_graph(graph, "net", 1), Runtime(graph.SerializeToString(), 1)
    given, names = {"spatial": some_planes(3, 49, size)}, ("next", "policy")
    assert runtime.names(size) == {"policy", "next"}
    found, expected = runtime.run(size, given, names), exact.run(size, given, names)
    for name in names:
        assert off(found[name], expected[name]) < 5e-3, name


@pytest.mark.parametrize("architecture", ["vn", "ml-vn", "bv-vn", "bv-ml-vn", "ordered-vn"])
def test_heads_that_read_the_planes_too(architecture: str) -> None:
    """Value nets read the colour to move from the planes."""
    graph = to_onnx(value(architecture).eval())
    runtime, exact = PlainInt16Runtime.of_graph(graph, "net", 1), Runtime(graph.SerializeToString(), 1)
    given, names = {"spatial": some_planes(3, 50, 9)}, sorted(exact.names(9))
    given["spatial"][:, 49] = np.array([0, 1, 0]).reshape(3, 1, 1)
    found, expected = runtime.run(9, given, names), exact.run(9, given, names)
    for name in names:
        assert off(found[name], expected[name]) < 5e-3, name


@pytest.mark.parametrize("boards", [1, 2, 7])
def test_a_board_is_answered_alike_alone_and_among_others_and_by_any_number_of_threads(boards: int) -> None:
    rng = np.random.default_rng(boards)
    bias = rng.standard_normal(16).astype(np.float32)
    convs = [rng.standard_normal((3, 3, 16, 16)).astype(np.float32) for _ in range(3)]
    trunk = _native.Trunk.plain(bias, convs, [bias] * 3)
    x = rng.standard_normal((boards, 9, 9, 16)).astype(np.float32)
    x *= 10.0 ** np.arange(boards).reshape(-1, 1, 1, 1).astype(np.float32)

    def run(stream: np.ndarray, threads: int) -> np.ndarray:
        out = stream.copy()
        trunk.run(out, threads)
        return out

    together = run(x, 1)
    assert (together >= 0).all() and together.any()
    for threads in (2, 3, 8):
        assert (run(x, threads) == together).all()
    for i in range(boards):
        assert (run(x[i : i + 1], 1)[0] == together[i]).all()


def test_more_boards_than_a_batch_holds() -> None:
    net = plain_net(to_onnx(policy().eval()))
    assert net is not None
    runtime = PlainInt16Runtime(net, threads=2, batch=2)
    given = {"spatial": some_planes(5, 49, 19)}
    found = runtime.run(19, given, ("policy",))["policy"]
    alone = runtime.run(19, {"spatial": given["spatial"][4:]}, ("policy",))["policy"]
    assert len(found) == 5
    np.testing.assert_allclose(found[4:], alone, atol=1e-5)


def test_an_exported_net_has_int16_and_opens_in_it(tmp_path: Path) -> None:
    net = policy().eval()
    card = write_net(net, declared_card(net, "small", "cgi49"), tmp_path / "small")
    assert card.files["int16"] == card.files["fp32"]
    assert card.measured["int16 against fp32"]["same_first_move"] > 0.95
    exact, ours = (open_net(str(tmp_path / "small"), precision, 1) for precision in ("fp32", "int16"))
    board = Position(9).play("E5").play("C3")
    np.testing.assert_allclose(ours.evaluate([board])[0].policy, exact.evaluate([board])[0].policy, atol=1e-3)


@pytest.mark.parametrize(
    "net",
    [
        lambda: policy(width=12),  # channels not in eights
        lambda: policy(layers=3),  # one 3x3 layer alone
        lambda: build_net("res13", planes=42, width=16),  # residual, with norms
        lambda: build_net("6al-2fc", planes=41, width=8),  # recurrent
    ],
)
def test_what_is_no_plain_net_says_so(net: object) -> None:
    graph = to_onnx(net().eval())  # type: ignore[operator]
    assert plain_net(graph) is None
    with pytest.raises(InputError, match="other: int16 is for plain and residual nets"):
        PlainInt16Runtime.of_graph(graph, "other")


def test_a_layer_that_something_else_reads_ends_the_plain_part() -> None:
    """A head on the second layer: what lies behind it stays in the graph."""
    graph = to_onnx(policy(layers=6).eval())
    middle = [node for node in graph.graph.node if node.op_type == "Relu"][2].output[0]
    graph.graph.node.append(onnx.helper.make_node("Identity", [middle], ["early"]))
    graph.graph.output.append(onnx.helper.make_tensor_value_info("early", onnx.TensorProto.FLOAT, None))
    net = plain_net(graph)
    assert net is not None and len(net.layers) == 3
    runtime, exact = PlainInt16Runtime(net, 1), Runtime(graph.SerializeToString(), 1)
    given, names = {"spatial": some_planes(2, 49, 9)}, ("early", "policy")
    found, expected = runtime.run(9, given, names), exact.run(9, given, names)
    for name in names:
        assert off(found[name], expected[name]) < 5e-3, name


def test_layers_that_do_not_fit_are_refused() -> None:
    bias, kernel = np.zeros(8, np.float32), np.ones((3, 3, 8, 8), np.float32)
    with pytest.raises(ValueError, match="two layers or more"):
        _native.Trunk.plain(bias, [kernel], [bias])
    with pytest.raises(ValueError, match="a layer does not fit"):
        _native.Trunk.plain(bias, [kernel, kernel], [bias, bias[:4]])
    with pytest.raises(ValueError, match="each layer has"):
        _native.Trunk.plain(bias, [kernel, kernel], [bias])
