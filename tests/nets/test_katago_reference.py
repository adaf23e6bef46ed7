"""Our evaluations against KataGo's own, position by position."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from nets.reference import lines, position_of

from tengen.go.color import Color
from tengen.nets.known import KNOWN
from tengen.nets.library import open_net, pulled_source

POLICY = WIN = 0.001
LEAD = 0.02
OWNERSHIP = 0.005
TRUNK = 0.001


def source_of(net: str, folder: Path) -> Path:
    if net == "b6c96":
        return next((folder / "nets").glob("g170-b6c96-*.bin.gz"))
    source = pulled_source(net)
    if source is None:
        pytest.skip(f"NOT RUN: {net} is not in the cache; `tengen nets pull {net}` brings it")
    return source


@pytest.mark.parametrize("net", ["b6c96", *[n for n in KNOWN if n != "b18c384nbt-thesis"]])
def test_fp32_agrees_with_katago(net: str, shared_reference: Path) -> None:
    evaluator = open_net(str(source_of(net, shared_reference)))
    reference = lines(shared_reference, net)
    positions = [position_of(line) for line in reference]
    symmetry = [line["symmetry"] for line in reference]
    found = evaluator.evaluate(positions, symmetries=symmetry, trunk=True)
    for line, position, ours in zip(reference, positions, found, strict=True):
        where = f"{net} {line['id']} {line['rules']}"
        policy = np.array([p if p is not None else 0.0 for p in [*line["policy"], line["policyPass"]]])
        assert np.abs(ours.policy - policy).max() < POLICY, where
        assert ((ours.policy > 0) | (policy == 0)).all(), where
        white = line["whiteWin"] + line["noResult"] / 2
        assert ours.win.of(Color.WHITE) == pytest.approx(white, abs=WIN), where
        assert ours.lead.of(Color.WHITE) == pytest.approx(line["whiteLead"], abs=LEAD), where
        assert np.abs(-ours.ownership.ravel() - line["whiteOwnership"]).max() < OWNERSHIP, where
        assert ours.trunk is not None
        check_trunk(ours.trunk, line["trunk"], position.size, where)


# int16 on the same positions: the worst of all, and the mean over them.
INT16_POLICY, INT16_WIN, INT16_LEAD = (0.05, 0.01), (0.02, 0.003), (1.0, 0.15)


@pytest.mark.parametrize("net", ["b6c96", "b15c192", "b18c384nbt"])
def test_int16_comes_near_katago(net: str, shared_reference: Path) -> None:
    evaluator = open_net(str(source_of(net, shared_reference)), "int16")
    reference = lines(shared_reference, net)
    symmetry = [line["symmetry"] for line in reference]
    found = evaluator.evaluate([position_of(line) for line in reference], symmetries=symmetry)
    policy, win, lead = [], [], []
    for line, ours in zip(reference, found, strict=True):
        said = np.array([p if p is not None else 0.0 for p in [*line["policy"], line["policyPass"]]])
        policy.append(np.abs(ours.policy - said).max())
        win.append(abs(ours.win.of(Color.WHITE) - line["whiteWin"] - line["noResult"] / 2))
        lead.append(abs(ours.lead.of(Color.WHITE) - line["whiteLead"]))
    for off, (worst, mean) in ((policy, INT16_POLICY), (win, INT16_WIN), (lead, INT16_LEAD)):
        assert max(off) < worst
        assert np.mean(off) < mean


def check_trunk(trunk: npt.NDArray[np.float32], reference: dict[str, Any], size: int, where: str) -> None:
    assert len(trunk) == reference["channels"], where
    for pick in reference["picks"].values():
        ours = trunk.reshape(len(trunk), -1)[:, pick["pos"]]
        assert np.abs(ours - pick["trunkTip"]).max() < TRUNK, where
    assert trunk.sum(dtype=float) == pytest.approx(reference["tipSum"], rel=1e-4), where
