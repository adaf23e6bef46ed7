"""A net of any heads and inputs, written into a folder, gives in each precision what it gives in torch."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from tengen import Color, Position  # noqa: E402
from tengen.errors import InputError  # noqa: E402
from tengen.nets.board_net import BoardNet, build_net  # noqa: E402
from tengen.nets.evaluation import falling  # noqa: E402
from tengen.nets.heads import exported, margin_unit  # noqa: E402
from tengen.nets.heads_reader import HeadsReader  # noqa: E402
from tengen.nets.integers import CALIBRATION_GAMES, CHECK_GAMES, sample_positions  # noqa: E402
from tengen.nets.library import open_net, precisions_of  # noqa: E402
from tengen.nets.net_evaluator import NetEvaluator  # noqa: E402
from tengen.nets.reading import Asked  # noqa: E402
from tengen.planes import encode, encode_globals  # noqa: E402
from tengen.progress import Progress  # noqa: E402
from tengen.training.export import declared_card, write_net  # noqa: E402
from tengen.training.net_task import first_weights  # noqa: E402

SMALL: dict[str, Any] = {"width": 32, "blocks": 2, "pooling": 2}
LABELS = [4.5, 5.5, 6.5, 7.5, 8.5]
# Heads of residual nets with what they need, and the board size they are written for.
RESIDUAL: dict[str, tuple[dict[str, Any], int]] = {
    "policy": ({"heads": ["policy"]}, 9),
    "next": ({"heads": ["policy"], "next_moves": 2}, 7),
    "margin": ({}, 9),
    "margin of owners": ({"margin_of_owners": True}, 9),
    "value": ({"heads": ["policy", "value"], "komi": 7.5}, 5),
    "komi as input": ({"heads": ["policy", "value", "ownership"], "globals": ["komi"]}, 5),
    "komi and rules as input": ({"globals": ["komi", "rules"]}, 9),
    "rank": ({"heads": ["policy"], "globals": ["rank"]}, 7),
    "values": ({"heads": ["values", "ownership"], "komi_labels": LABELS}, 9),
    "all": (
        {"heads": ["policy", "values", "margin", "ownership"], "komi_labels": LABELS, "next_moves": 1,
         "globals": ["komi", "rules", "rank"], "teacher": 8},
        6,
    ),
}  # fmt: skip
# Nets without a form: their graphs are traced by torch. Only plain nets among them run in int16.
OTHERS: dict[str, tuple[str, dict[str, Any], str]] = {
    "res13": ("res13", {"width": 16}, "golois39"),
    "res13-sbn": ("res13-sbn", {"width": 16}, "golois39"),
    "dark13": ("dark13", {"width": 16}, "golois39"),
    "DANN": ("5c-al-2fc", {"width": 16, "steps": 2, "size": 9}, "dann41"),
    "maddison12": ("maddison12", {"width": 16, "size": 9}, "alphago48"),
    "darkforest12": ("darkforest12", {"width": 24}, "alphago48"),
}
PLAIN = {"maddison12"}
# Mean difference from torch's numbers, as a share of their deviation over the positions, in the worst head.
FP32, INT16, INT8 = 1e-4, 0.01, 0.2


def settle(net: BoardNet, encoding: str, size: int) -> BoardNet:
    """Makes a random net like a trained one: signals keep their size, norms have statistics of real positions."""
    for module in net.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.momentum = None  # the mean over all batches
        elif isinstance(module, torch.nn.Conv2d | torch.nn.Linear) and net.form("net") is None:
            torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
    with torch.no_grad():
        net(torch_inputs(net, encoding, sample_positions(CALIBRATION_GAMES, 64, size)[0]))
    return net.eval()


def torch_inputs(net: BoardNet, encoding: str, positions: Any) -> dict[str, torch.Tensor]:
    given = {"spatial": torch.from_numpy(encode(encoding, positions))}
    if net.globals:
        given["global"] = torch.from_numpy(encode_globals(net.globals, positions))
    return given


def worst(net: BoardNet, ready: NetEvaluator, size: int, *, same_weights: bool = True) -> float:
    """Of all heads the largest mean difference, as a share of the head's deviation; all heads must be there."""
    positions, _ = sample_positions(CHECK_GAMES, 128, size)
    given = torch_inputs(net, ready.card.encoding, positions)
    with torch.no_grad():
        expected = {name: tensor.numpy() for name, tensor in net(given).items()}
    names = exported(net.heads)
    found = ready.runtime.run(size, {name: tensor.numpy() for name, tensor in given.items()}, names)
    shares = []
    for name in names:
        assert found[name].shape == expected[name].shape, name
        if ready.precision == "fp32" and same_weights:
            np.testing.assert_allclose(found[name], expected[name], atol=1e-4, err_msg=name)
        deviation = expected[name].std(axis=0).mean()
        shares.append(float(np.abs(found[name] - expected[name]).mean() / deviation))
    return max(shares)


def ready_net(folder: Path, precision: str) -> NetEvaluator:
    net = open_net(str(folder), precision, threads=1)
    assert isinstance(net, NetEvaluator)
    return net


@pytest.mark.parametrize("kind", RESIDUAL)
def test_residual_nets_of_every_kind_of_heads_and_inputs(kind: str, tmp_path: Path) -> None:
    options, size = RESIDUAL[kind]
    torch.manual_seed(1)
    net = settle(build_net("residual", planes=39, **SMALL, **options), "golois39", size)
    card = declared_card(net, kind, "golois39")
    # On a card for one small board, it is calibrated there, which is faster.
    card = write_net(net, replace(card, board_sizes=(size,)), tmp_path)
    assert list(card.files) == ["fp32", "int16", "int8"]
    assert card.heads == exported(net.heads)
    assert card.inputs == tuple(options.get("globals", ()))
    assert card.komi_labels == tuple(
        options.get("komi_labels", [options["komi"]] if "komi" in options else ())
    )
    for precision, bound in (("fp32", FP32), ("int16", INT16), ("int8", INT8)):
        assert worst(net, ready_net(tmp_path, precision), size) < bound, precision
    for precision in ("int16", "int8"):
        figures = card.measured[f"{precision} against fp32"]
        assert figures["games"] == f"random moves on {size}x{size}"
        assert ("same_first_move" in figures) == ("policy" in net.heads)
        assert ("ownership_mean_difference" in figures) == ("ownership" in net.heads)


@pytest.mark.parametrize("kind", OTHERS)
def test_nets_without_a_form(kind: str, tmp_path: Path) -> None:
    name, options, encoding = OTHERS[kind]
    torch.manual_seed(1)
    net = settle(build_net(name, planes=int(encoding[-2:]), **options), encoding, 9)
    said: list[Progress] = []
    card = declared_card(net, kind, encoding)
    assert card.board_sizes == ((9,) if "size" in options else tuple(range(2, 20)))
    card = write_net(net, replace(card, board_sizes=(9,)), tmp_path, said.append)
    plain = kind in PLAIN
    assert list(card.files) == (["fp32", "int16", "int8"] if plain else ["fp32", "int8"])
    assert plain != any(one.stage.startswith("no int16: int16 is for plain nets") for one in said)
    for precision, bound in (("fp32", FP32), ("int16", INT16), ("int8", INT8)):
        if precision in card.files:
            assert worst(net, ready_net(tmp_path, precision), 9) < bound, precision
    int8 = (tmp_path / "int8.onnx").stat().st_size
    assert int8 < 0.7 * (tmp_path / "fp32.onnx").stat().st_size
    if not plain:
        with pytest.raises(InputError, match="has no int16"):
            open_net(str(tmp_path), "int16")


def test_a_net_with_komi_as_input_judges_by_the_komi_of_the_position(tmp_path: Path) -> None:
    torch.manual_seed(3)
    net = settle(build_net("residual", planes=39, **SMALL, globals=["komi", "rules"]), "golois39", 9)
    write_net(net, declared_card(net, "komi", "golois39"), tmp_path)
    ready = ready_net(tmp_path, "fp32")
    black = Position(9, komi=7.5).play("C3").play("G7")
    other = Position(9, komi=0.5).play("C3").play("G7")
    one, two = ready.evaluate([black, other])
    assert one.margin is not None and two.margin is not None
    assert one.margin.mean != pytest.approx(two.margin.mean, abs=1e-4)  # the net sees the komi
    with torch.no_grad():
        expected = net(torch_inputs(net, "golois39", [black]))["margin"][0]
    assert one.margin.mean == pytest.approx(margin_unit(81) * float(expected[0]), abs=1e-3)
    assert one.win is not None and one.lead is not None
    assert (one.win.of(Color.BLACK) > 0.5) == (one.lead.of(Color.BLACK) > 0)


def test_the_least_scale_of_a_net_is_on_its_card(tmp_path: Path) -> None:
    """A net that is sure of half a point: a scale of 0.1 is 99 %, one of 0.5 would be 73 %."""
    net = build_net("residual", planes=39, **SMALL, least_scale=0.1)
    assert declared_card(build_net("residual", planes=39, **SMALL), "usual", "golois39").settings == {
        "pass": True
    }
    card = declared_card(net, "sure", "golois39")
    assert card.settings == {"pass": True, "least_scale": 0.1}
    unit = margin_unit(81)
    half_ahead = {"margin": np.array([[(7.5 + 0.5) / unit, -30.0]], np.float32)}
    asked = Asked(np.array([7.5]), np.array([True]), 81)
    for settings, win in ((card.settings, 0.9933), ({"pass": True}, 0.7311)):
        found = HeadsReader(replace(card, settings=settings)).read(half_ahead, asked)
        assert found.win is not None and found.win[0] == pytest.approx(win, abs=1e-4)


def test_a_net_in_half_the_room_says_nearly_the_same_and_can_be_trained_on(tmp_path: Path) -> None:
    torch.manual_seed(4)
    net = settle(build_net("residual", planes=39, **SMALL), "golois39", 9)
    write_net(net, replace(declared_card(net, "whole", "golois39"), board_sizes=(9,)), tmp_path / "whole")
    script = Path(__file__).parents[2] / "scripts" / "smaller_net.py"
    subprocess.run([sys.executable, script, tmp_path / "whole", tmp_path / "half"], check=True)
    sizes = [sum(file.stat().st_size for file in (tmp_path / one).iterdir()) for one in ("whole", "half")]
    assert sizes[1] < 0.5 * sizes[0]
    assert precisions_of(str(tmp_path / "half")) == ["fp32", "int16"]
    for precision in ("fp32", "int16"):
        assert worst(net, ready_net(tmp_path / "half", precision), 9, same_weights=False) < INT16
    weights, begun = first_weights(str(tmp_path / "half"))
    assert begun["net"] == "whole"
    other = build_net("residual", planes=39, **SMALL)
    assert other.take_over(weights, dict) == []
    for name, array in other.arrays().items():
        np.testing.assert_allclose(array, net.arrays()[name], rtol=1e-3, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("least", [0, -0.1, 2.0, "small", None, True])
def test_a_least_scale_that_cannot_be_is_refused(least: object) -> None:
    card = declared_card(build_net("residual", planes=39, **SMALL), "odd", "golois39")
    with pytest.raises(InputError, match=f"the card of odd: settings.least_scale is .* not {least!r}"):
        HeadsReader(replace(card, settings={"least_scale": least}))
    if type(least) in (int, float):
        with pytest.raises(InputError, match=r"net\.least_scale is above 0 and at most 0\.5"):
            build_net("residual", planes=39, **SMALL, least_scale=least)


def test_the_win_rates_of_a_net_with_komi_labels_are_at_the_games_komi(tmp_path: Path) -> None:
    """`values` are the mover's; Black's win rate at a label is one minus it if White is to move."""
    torch.manual_seed(3)
    net = build_net("residual", planes=39, **SMALL, heads=["values", "ownership"], komi_labels=LABELS)
    settle(net, "golois39", 9)
    write_net(net, declared_card(net, "cgi", "golois39"), tmp_path)
    ready = ready_net(tmp_path, "fp32")
    for position in (Position(9), Position(9).play("E5")):
        with torch.no_grad():
            mover = torch.sigmoid(net(torch_inputs(net, "golois39", [position]))["values"])[0].numpy()
        [found] = ready.evaluate([position])
        assert found.policy is None
        assert found.komi_labels is not None and found.komi_labels.tolist() == LABELS
        black = mover if position.to_move is Color.BLACK else 1 - mover
        # The net is random: its win rates rise with komi here and there, and are repaired.
        np.testing.assert_allclose(found.win_by_komi, falling(black), atol=1e-4)
