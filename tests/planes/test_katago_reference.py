"""KataGo's own inputs and legal moves, bit for bit, for every line of the reference."""

from __future__ import annotations

import json
import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tengen import Color, Position, Rules
from tengen.go.rules import HandicapBonus, Ko, Scoring, Tax
from tengen.planes import encode_inputs

FOLDER = Path(__file__).parents[2].parent / "shared" / "reference" / "katago"
KO = {"SIMPLE": Ko.SIMPLE, "POSITIONAL": Ko.POSITIONAL, "SITUATIONAL": Ko.SITUATIONAL}
BONUS = {"0": HandicapBonus.NONE, "N": HandicapBonus.STONES, "N-1": HandicapBonus.STONES_LESS_ONE}


def read_rules(line: dict[str, object]) -> Rules:
    given = line["rulesJson"]
    assert isinstance(given, dict)
    assert not given["hasButton"]
    return Rules(
        scoring=Scoring[given["scoring"]],
        ko=KO[given["ko"]],
        suicide=given["suicide"],
        komi=line["komi"],
        handicap_bonus=BONUS[given["whiteHandicapBonus"]],
        friendly_pass=given["friendlyPassOk"],
        tax=Tax[given["tax"]],
    )


def read_position(line: dict[str, object]) -> Position:
    position = Position(line["boardSize"], read_rules(line))
    to_move = Color.parse(line["toMove"])
    first = Color.parse(line["moves"][0][0]) if line["moves"] else to_move
    position.set_stones(line["initialBlack"], line["initialWhite"], to_move=first)
    for color, vertex in line["moves"]:
        position.play_as(Color.parse(color), vertex)
    assert position.to_move is to_move
    return position


@pytest.mark.skipif(
    not FOLDER.is_dir(), reason="KataGo's outputs (../shared/reference) are not on this machine"
)
@pytest.mark.parametrize("net", ["b6c96", "b15c192", "b18c384nbt", "b10c384h6nbttflrs"])
def test_inputs_and_legal_moves_are_katagos(net: str) -> None:
    with lzma.open(FOLDER / f"{net}.jsonl.xz", "rt") as file:
        lines = [json.loads(text) for text in file]
    assert len(lines) == 30
    for line in lines:
        position = read_position(line)
        where = f"{line['id']} under {line['rules']}"
        preset = Rules.named(line["rules"])
        assert replace(preset, komi=line["komi"]) == position.rules, f"{where}: our preset differs"
        size = line["boardSize"]
        planes = np.zeros((22, size * size), np.float32)
        for plane, values in line["inputSpatialNonzero"].items():
            if values == "all ones on board":
                planes[int(plane)] = 1
                continue
            for point, value in values:
                planes[int(plane), point] = value
        inputs = encode_inputs("katago7", [position])
        for plane in range(22):
            np.testing.assert_array_equal(
                inputs.planes[0, plane], planes[plane].reshape(size, size), f"{where}: plane {plane}"
            )
        np.testing.assert_array_equal(inputs.globals[0], np.float32(line["inputGlobal"]), f"{where}: globals")
        legal = [point for point, p in enumerate(line["policy"]) if p is not None]
        assert position.legal_moves[:-1] == legal, f"{where}: legal moves"
