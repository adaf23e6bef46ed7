"""The planes of whole games, kept as hashes: what makes an encoder faster must not change what it writes.

python tests/planes/test_unchanged.py    prints them
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from tengen import Game
from tengen.planes import encode

EXAMPLES = Path(__file__).parents[2] / "examples"
KEPT = {
    ("golois39", "13x13-ko-fight.sgf"): "24b96734d7fb3bff",
    ("golois39", "13x13.sgf"): "cfb7667d2be486d3",
    ("golois39", "19x19-handicap-4.sgf"): "23e737c3e5c45baa",
    ("golois39", "19x19-uneven.sgf"): "52db6352e38132af",
    ("golois39", "19x19.sgf"): "13148ddc18f4ad57",
    ("golois39", "9x9-seki.sgf"): "516834ff887052cb",
    ("golois39", "9x9.sgf"): "a735f482bc8108f3",
    ("alphago48", "13x13-ko-fight.sgf"): "36bad11e110ab25d",
    ("alphago48", "13x13.sgf"): "d050231351faa880",
    ("alphago48", "19x19-handicap-4.sgf"): "6aa418af9f60c8ba",
    ("alphago48", "19x19-uneven.sgf"): "45943c4bfda062ee",
    ("alphago48", "19x19.sgf"): "9c46ee3977186e8b",
    ("alphago48", "9x9-seki.sgf"): "b5516588e84a4db8",
    ("alphago48", "9x9.sgf"): "64d57abcec3bfd2e",
    ("dann41", "13x13-ko-fight.sgf"): "fd26d65baed82868",
    ("dann41", "13x13.sgf"): "5e2528c484fb253f",
    ("dann41", "19x19-handicap-4.sgf"): "f77480fc756fec5a",
    ("dann41", "19x19-uneven.sgf"): "a887bebca1637f71",
    ("dann41", "19x19.sgf"): "6298c19de666eea3",
    ("dann41", "9x9-seki.sgf"): "3b13cc44800a872b",
    ("dann41", "9x9.sgf"): "cccee8333bf6fccf",
}


def digest(encoding: str, game: str) -> str:
    record = Game.from_sgf(EXAMPLES / game)
    positions = [record.position(n) for n in range(0, len(record.moves) + 1, 3)]
    planes = encode(encoding, positions, symmetries=np.arange(len(positions)) % 8)
    return hashlib.sha256(planes.astype("<f4").tobytes()).hexdigest()[:16]


@pytest.mark.parametrize(("encoding", "game"), KEPT)
def test_planes_are_as_they_were(encoding: str, game: str) -> None:
    assert digest(encoding, game) == KEPT[encoding, game]


if __name__ == "__main__":
    for name in ("golois39", "alphago48", "dann41"):
        for path in sorted(EXAMPLES.glob("*.sgf")):
            print(f'    ("{name}", "{path.name}"): "{digest(name, path.name)}",')
