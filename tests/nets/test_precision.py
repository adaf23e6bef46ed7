"""The fastest precision of those that are near enough; timed once a processor."""

from __future__ import annotations

import dataclasses
import json
import time
from pathlib import Path

import pytest

from tengen.go.position import Position
from tengen.nets import precision
from tengen.nets.card import ModelCard, NetFile
from tengen.nets.evaluation import Evaluation
from tengen.nets.fake import FakeEvaluator
from tengen.nets.precision import default_precision, measure, processor

CARD = ModelCard(
    name="small",
    architecture="fake",
    encoding="none",
    board_sizes=(5, 9),
    files={"fp32": NetFile("a.onnx", "a" * 64), "int8": NetFile("b.onnx", "b" * 64)},
    precision="int8",
)


def speeds(monkeypatch: pytest.MonkeyPatch, fp32: float, int8: float, int16: float = 0.0) -> list[str]:
    """The net runs at these speeds; returns what was timed."""
    timed: list[str] = []

    def measured(_card: ModelCard, names: list[str], _open: object) -> dict[str, float]:
        timed.append(" ".join(names))
        known = {"fp32": fp32, "int16": int16, "int8": int8}
        return {name: known[name] for name in names}

    monkeypatch.setattr(precision, "measure", measured)
    return timed


def never(name: str) -> FakeEvaluator:
    raise AssertionError(f"{name} was opened")


@pytest.mark.parametrize(("int8", "chosen"), [(30.0, "int8"), (22.0, "int8"), (21.0, "fp32"), (10.0, "fp32")])
def test_int8_must_be_clearly_faster(
    int8: float, chosen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    speeds(monkeypatch, 20.0, int8)
    choice = default_precision(CARD, never, tmp_path / "speeds.json")
    assert choice.precision == chosen
    assert f"fp32 20.0, int8 {int8:.1f} positions/s" in choice.reason


THREE = dataclasses.replace(CARD, files={**CARD.files, "int16": NetFile("a.bin.gz", "d" * 64)})


@pytest.mark.parametrize(
    ("int16", "int8", "chosen"),
    [
        (40.0, 20.0, "int16"),
        (40.0, 43.0, "int16"),
        (40.0, 80.0, "int8"),
        (21.0, 30.0, "int8"),
        (21.0, 9.0, "fp32"),
    ],
)
def test_the_more_exact_one_wins_unless_the_other_is_clearly_faster(
    int16: float, int8: float, chosen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    speeds(monkeypatch, 20.0, int8, int16)
    choice = default_precision(THREE, never, tmp_path / "speeds.json")
    assert choice.precision == chosen
    assert f"fp32 20.0, int16 {int16:.1f}, int8 {int8:.1f} positions/s" in choice.reason


def test_int8_that_is_not_near_enough_leaves_int16(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    timed = speeds(monkeypatch, 20.0, 100.0, 40.0)
    card = dataclasses.replace(THREE, precision="int16")
    assert default_precision(card, never, tmp_path / "speeds.json").precision == "int16"
    assert timed == ["fp32 int16"]


def test_what_is_not_near_enough_is_not_even_timed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    timed = speeds(monkeypatch, 1.0, 100.0)
    card = ModelCard.from_json(json.dumps({**json.loads(CARD.to_json()), "precision": "fp32"}))
    assert default_precision(card, never, tmp_path / "speeds.json").precision == "fp32"
    single = ModelCard.from_json(
        json.dumps({**json.loads(CARD.to_json()), "files": {"int8": {"file": "b.onnx", "sha256": "b"}}})
    )
    assert default_precision(single, never, tmp_path / "speeds.json").precision == "int8"
    assert timed == []


def test_speeds_are_remembered_for_a_processor_and_these_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = tmp_path / "cache" / "speeds.json"
    timed = speeds(monkeypatch, 1.0, 4.0)
    for _ in range(3):
        assert default_precision(CARD, never, memory).precision == "int8"
    assert len(timed) == 1
    monkeypatch.setattr(precision, "processor", lambda: "another one")
    default_precision(CARD, never, memory)
    assert len(timed) == 2
    assert len(json.loads(memory.read_text())) == 2
    other = ModelCard.from_json(CARD.to_json().replace("b" * 64, "c" * 64))
    default_precision(other, never, memory)
    assert len(timed) == 3


@pytest.mark.parametrize("text", ["", "{", "[]", '{"x": 3}', '{"x": {"y": {"fp32": "fast"}}}'])
def test_a_damaged_memory_is_measured_anew(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = tmp_path / "speeds.json"
    key = " ".join(file.sha256[:16] for _, file in sorted(CARD.files.items()))
    memory.write_text(text.replace('"x"', json.dumps(processor())).replace('"y"', json.dumps(key)))
    timed = speeds(monkeypatch, 1.0, 4.0)
    assert default_precision(CARD, never, memory).precision == "int8"
    assert len(timed) == 1


def test_a_memory_that_cannot_be_written_is_no_hindrance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    speeds(monkeypatch, 1.0, 4.0)
    assert default_precision(CARD, never, tmp_path / "file" / "speeds.json").precision == "int8"


class Slow(FakeEvaluator):
    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds

    def evaluate(self, positions: list[Position], **asked: object) -> list[Evaluation]:  # type: ignore[override]
        until = time.thread_time() + self.seconds
        while time.thread_time() < until:
            pass
        return []


def test_the_slower_one_is_found_to_be_slower(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "_SECONDS", 0.05)
    found = measure(CARD, ["fp32", "int8"], lambda name: Slow(0.01 if name == "int8" else 0.03))
    assert found["int8"] == pytest.approx(3 * found["fp32"], rel=0.3)
