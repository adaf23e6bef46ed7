"""KataGo's inputs kept from an encoder that agreed with KataGo, for machines without its outputs.

python tests/planes/test_golden.py    writes tests/golden/planes/katago7.json anew
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from tengen import Color, Position
from tengen.planes import encode_inputs

FILE = Path(__file__).parents[1] / "golden" / "planes" / "katago7.json"
# Board size, rules, komi, setup stones (Black's), moves of random play.
CASES = [
    (9, "chinese", 7.0, [], 60),
    (9, "japanese", 6.5, ["C3", "G7"], 45),
    (7, "tromp-taylor", 9.5, [], 80),
    (8, "aga", 0.5, ["C3", "F6", "C6"], 50),
    (13, "new-zealand", 5.5, [], 90),
    (5, "chinese", -2.5, [], 40),
]


def game(number: int) -> dict[str, object]:
    size, rules, komi, black, length = CASES[number]
    rng = random.Random(number)
    position = Position(size, rules, komi=komi)
    position.set_stones(black, to_move=Color.WHITE if black else Color.BLACK)
    moves = []
    for _ in range(length):
        legal = position.legal_moves
        choice = rng.choice(legal[:-1] or legal) if rng.random() < 0.97 else legal[-1]
        moves.append(f"{position.to_move.letter} {position.vertex(choice)}")
        position.play(choice)
    return {"size": size, "rules": rules, "komi": komi, "black": black, "moves": moves}


def replayed(kept: dict[str, object]) -> Position:
    position = Position(kept["size"], kept["rules"], komi=kept["komi"])
    position.set_stones(kept["black"], to_move=Color.WHITE if kept["black"] else Color.BLACK)
    for move in kept["moves"]:
        color, vertex = move.split()
        position.play_as(Color.parse(color), vertex)
    return position


def inputs_of(position: Position) -> dict[str, object]:
    planes, values = encode_inputs("katago7", [position])
    return {
        "planes": {
            str(i): np.flatnonzero(plane).tolist() for i, plane in enumerate(planes[0]) if i and plane.any()
        },
        "globals": values[0].tolist(),
        "legal": position.legal_moves,
    }


@pytest.mark.parametrize("number", range(len(CASES)))
def test_inputs_are_those_kept(number: int) -> None:
    kept = json.loads(FILE.read_text())[number]
    assert inputs_of(replayed(kept)) == kept["inputs"]


if __name__ == "__main__":
    lines = []
    for number in range(len(CASES)):
        kept = game(number)
        lines.append(json.dumps({**kept, "inputs": inputs_of(replayed(kept))}))
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text("[\n" + ",\n".join(lines) + "\n]\n")
