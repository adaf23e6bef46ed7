"""KataGo's own answers, where the reference folder is beside the repository."""

from __future__ import annotations

import json
import lzma
from dataclasses import replace
from pathlib import Path
from typing import Any

from tengen.go.color import Color
from tengen.go.position import Position
from tengen.go.rules import Rules


def lines(folder: Path, net: str) -> list[dict[str, Any]]:
    with lzma.open(folder / "katago" / f"{net}.jsonl.xz", "rt") as file:
        return [json.loads(line) for line in file]


def position_of(line: dict[str, Any]) -> Position:
    rules = replace(Rules.named(line["rules"]), komi=line["komi"])
    position = Position(line["boardSize"], rules)
    if line["initialBlack"] or line["initialWhite"]:
        position.set_stones(line["initialBlack"], line["initialWhite"], to_move=Color.parse(line["toMove"]))
    for color, vertex in line["moves"]:
        position.play_as(Color.parse(color), vertex)
    position.to_move = Color.parse(line["toMove"])
    return position
