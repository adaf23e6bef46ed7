"""Exported nets say what the trained ones say, on every board they are for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from safetensors.torch import load  # noqa: E402

from tengen import Color, Position  # noqa: E402
from tengen.errors import InputError  # noqa: E402
from tengen.nets.board_net import BoardNet, build_net  # noqa: E402
from tengen.nets.card import ModelCard  # noqa: E402
from tengen.nets.heads import margin_in_points  # noqa: E402
from tengen.nets.library import open_net  # noqa: E402
from tengen.nets.net_evaluator import NetEvaluator  # noqa: E402
from tengen.nets.runtime import Runtime  # noqa: E402
from tengen.planes import encode  # noqa: E402
from tengen.training.export import export, load_mean, load_trained, to_onnx, to_safetensors  # noqa: E402
from tengen.training.recipe import PolicyRecipe  # noqa: E402
from tengen.training.run import Run  # noqa: E402
from tengen.training.supervised import PolicyTask, open_examples  # noqa: E402

NETS = [
    ("residual", {"width": 16, "blocks": 2, "pooling": 2, "next_moves": 1}, "golois39"),
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
    net({"spatial": torch.rand(8, planes, 9, 9)})  # running statistics that are not those of the start
    net.eval()
    runtime = Runtime(to_onnx(net).SerializeToString(), threads=1)
    card = ModelCard("net", "policy", encoding, (9, 13, 19), ("policy",), settings={"pass": net.has_pass})
    ready = NetEvaluator(card, runtime)
    for size in (9,) if net.size else (9, 13, 19):
        x = torch.rand(3, planes, size, size)
        with torch.no_grad():
            expected = net({"spatial": x})["policy"].softmax(1).numpy()
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
    card = ModelCard("net", "policy", "golois39", (9,), ("policy",), settings={"pass": False})
    ready = NetEvaluator(card, Runtime(to_onnx(net.eval()).SerializeToString(), threads=1))
    position = Position(9).play("C7").play("G3").play("D7")
    views = ready.evaluate([position] * 8, symmetries=list(range(8)))
    for view in views:
        np.testing.assert_allclose(view.policy, views[0].policy, atol=1e-6)


def test_safetensors_bring_the_net_back() -> None:
    net = build_net("residual", planes=39, width=16, blocks=1)
    other = build_net("residual", planes=39, width=16, blocks=1)
    other.load_state_dict(load(to_safetensors(net)))
    x = torch.rand(1, 39, 9, 9)
    net.eval(), other.eval()
    assert torch.equal(net({"spatial": x})["policy"], other({"spatial": x})["policy"])


def tengen_net(seed: int = 0) -> BoardNet:
    torch.manual_seed(seed)
    net = build_net("residual", planes=39, width=16, blocks=3, pooling=2)
    net({"spatial": torch.rand(16, 39, 9, 9)})
    return net.eval()


def test_every_head_of_our_net_survives_the_journey() -> None:
    net = tengen_net()
    model = to_onnx(net)
    for size in (9, 19):
        x = torch.rand(3, 39, size, size)
        with torch.no_grad():
            heads = net({"spatial": x})
        found = Runtime(model.SerializeToString(), threads=1).run(
            size, {"spatial": x.numpy()}, ("policy", "margin", "ownership", "trunk")
        )
        np.testing.assert_allclose(found["policy"], heads["policy"], atol=2e-5)
        np.testing.assert_allclose(found["margin"], heads["margin"], atol=2e-5)
        np.testing.assert_allclose(found["ownership"], heads["ownership"], atol=2e-5)
        assert found["trunk"].shape == (3, size, size, 16)


def test_our_net_judges_in_blacks_view() -> None:
    card = ModelCard(
        "net",
        "policy",
        "golois39",
        (9,),
        heads=("policy", "margin", "ownership", "trunk"),
        settings={"pass": True},
    )
    ready = NetEvaluator(card, Runtime(to_onnx(tengen_net()).SerializeToString(), threads=1))
    black = Position(9).play("C7").play("G3")
    white = black.copy().play("pass")
    komi = [-20.0, 0.0, 6.5, 7.5, 30.0]
    for position in (black, white):
        (found,) = ready.evaluate([position], trunk=True, komi_labels=komi)
        assert (np.diff(found.win_by_komi) < 0).all()
        assert found.lead.of(Color.BLACK) == pytest.approx(found.margin.mean - position.rules.komi, abs=1e-4)
        own = ready.evaluate([position], komi_labels=[position.rules.komi])[0]
        assert own.win.of(Color.BLACK) == pytest.approx(float(own.win_by_komi[0]), abs=1e-6)
        assert (found.win.of(Color.BLACK) > 0.5) == (found.lead.of(Color.BLACK) > 0)
        assert found.trunk is not None and found.trunk.shape == (16, 9, 9)


def test_a_mirrored_board_is_judged_in_the_mirror() -> None:
    """Showing the net a board in a symmetry is showing it the turned board and turning back what it says."""
    card = ModelCard(
        "net",
        "policy",
        "golois39",
        (9,),
        heads=("policy", "margin", "ownership", "trunk"),
        settings={"pass": True},
    )
    ready = NetEvaluator(card, Runtime(to_onnx(tengen_net()).SerializeToString(), threads=1))
    game = ["C7", "G3", "D7"]
    mirrored = ["G7", "C3", "F7"]  # left and right exchanged
    one, other = Position(9), Position(9)
    for move, same in zip(game, mirrored, strict=True):
        one.play(move)
        other.play(same)
    (plain,) = ready.evaluate([other], trunk=True)
    (shown,) = ready.evaluate([one], trunk=True, symmetries=[2])
    np.testing.assert_allclose(shown.ownership, plain.ownership[:, ::-1], atol=1e-5)
    np.testing.assert_allclose(
        shown.policy[:-1].reshape(9, 9), plain.policy[:-1].reshape(9, 9)[:, ::-1], atol=1e-5
    )
    assert shown.trunk is not None and plain.trunk is not None
    np.testing.assert_allclose(shown.trunk, plain.trunk[:, :, ::-1], atol=1e-5)


def test_an_exported_run_is_loaded_by_its_folder(pool: Path, tmp_path: Path) -> None:
    net = {"architecture": "residual", "encoding": "golois39", "width": 16, "blocks": 2, "pooling": 2}
    table = {"name": "run", "net": net, "data": {"train": [str(pool)]}, "run": {"examples": 64}}
    more = {"optimiser": {"batch": 16}, "losses": {"margin": 0.2, "ownership": 0.3}}
    plan = PolicyRecipe.from_table(table | more, "test")
    task = PolicyTask(plan, *open_examples(plan))
    Run(task, tmp_path / "run").go()
    card = export([tmp_path / "run"], tmp_path / "small")
    assert card.trained_sizes == (task.train.size,) and len(card.board_sizes) == 18
    assert sorted(p.name for p in (tmp_path / "small").iterdir()) == [
        "card.json",
        "fp32.onnx",
        "int8.onnx",
        "weights.safetensors",
    ]
    assert card.measured["int8 against fp32"]["positions"] == 128
    position = Position(19).play("Q16")
    exact = open_net(str(tmp_path / "small"), "fp32").evaluate([position])[0]
    with torch.no_grad():
        trained = load_trained(tmp_path / "run")[0](
            {"spatial": torch.from_numpy(encode("golois39", [position]))}
        )
    margin = margin_in_points(trained["margin"][0].numpy(), 361)[0]  # White's, whose turn it is
    assert exact.margin.mean == pytest.approx(-margin, abs=1e-3)
    graph = Runtime(tmp_path / "small" / "fp32.onnx", threads=1)
    said = graph.run(19, {"spatial": encode("golois39", [position])}, ("policy",))["policy"]
    np.testing.assert_allclose(said[0], trained["policy"][0], atol=1e-4)
    rough = open_net(str(tmp_path / "small"), "int8").evaluate([position])[0]
    assert rough.margin.mean == pytest.approx(exact.margin.mean, abs=3)
    (tmp_path / "small" / "weights.safetensors").write_bytes(b"cut")
    with pytest.raises(InputError, match="sha256 differs"):
        open_net(str(tmp_path / "small"), "fp32")


def test_of_several_runs_the_mean_of_their_weights_is_taken(pool: Path, tmp_path: Path) -> None:
    def train(name: str, seed: int = 1, width: int = 8) -> Path:
        net = {"architecture": "dark13", "encoding": "golois39", "width": width}
        table = {"name": name, "seed": seed, "net": net, "data": {"train": [str(pool)]}}
        plan = PolicyRecipe.from_table(table | {"run": {"examples": 32}, "optimiser": {"batch": 16}}, "test")
        Run(PolicyTask(plan, *open_examples(plan)), tmp_path / name).go()
        return tmp_path / name

    one, other, wider = train("one"), train("other", seed=2), train("wider", width=16)
    net, card = load_mean([one, other, other], "three")
    states = [load_trained(run)[0].state_dict() for run in (one, other)]
    for key, value in net.state_dict().items():
        torch.testing.assert_close(value, ((states[0][key] + 2 * states[1][key]) / 3).to(value.dtype))
    assert card.training.startswith("the mean of the weights of 3 runs: 1 x 32 examples of ")
    assert "; 2 x 32 examples of " in card.training
    assert card.measured == {}  # the figures of its parts are not its own
    with pytest.raises(InputError, match="are different nets"):
        load_mean([one, wider])
