"""Games as flat arrays: what native code reads when it goes over many of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tengen import _native
from tengen.go.color import Color
from tengen.go.position import Position
from tengen.go.rules import Ko, Rules

_POINT = 0x3FFF  # a packed move without its colour


@dataclass(frozen=True, slots=True)
class Records:
    """n games. Game i has moves_flat[move_offsets[i]:move_offsets[i + 1]], and setup_flat likewise.

    Moves and stones are packed: the point, row-major from the top left (pass is size * size), + 0x8000 for
    White. All of them keep the rules of placing stones (simple ko).
    """

    sizes: npt.NDArray[np.uint8]  # [n]
    moves_flat: npt.NDArray[np.uint16]
    move_offsets: npt.NDArray[np.int64]  # [n + 1]
    setup_flat: npt.NDArray[np.uint16]
    setup_offsets: npt.NDArray[np.int64]  # [n + 1]
    komi: npt.NDArray[np.float32]  # [n]
    first_to_move: npt.NDArray[np.uint8]  # [n]: 1 Black, 2 White
    winner: npt.NDArray[np.uint8]  # [n]: 1 Black, 2 White, 0 neither or unknown
    rules: npt.NDArray[np.uint8]  # [n]: index into rules_table
    rules_table: tuple[Rules, ...]
    ranks: npt.NDArray[np.float32] | None = None  # [n, 2]: Black's and White's `Rank.number`, NaN if unknown

    def __len__(self) -> int:
        return len(self.sizes)

    def position(self, game: int, moves: int, symmetry: int = 0) -> Position:
        """The position after the first so many moves of a game, the whole record carried by the symmetry.

        As `Game.position`: moves of the record are not asked about superko; what is played from there on is.
        """
        size, rules = (
            int(self.sizes[game]),
            self.rules_table[self.rules[game]].with_komi(float(self.komi[game])),
        )
        carried = np.array(
            [_native.transform_point(p, size, symmetry) for p in range(size**2 + 1)], np.uint16
        )

        def turned(packed: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint16]:
            return np.asarray((packed & ~np.uint16(_POINT)) | carried[packed & _POINT], np.uint16)

        position = Position(size, replace(rules, ko=Ko.SIMPLE))
        setup = self.setup_flat[self.setup_offsets[game] : self.setup_offsets[game + 1]]
        if len(setup):
            position.setup(turned(setup), int(self.first_to_move[game]))
        position.to_move = Color(self.first_to_move[game])
        first = self.move_offsets[game]
        position.play_all(turned(self.moves_flat[first : first + moves]))
        position.rules = rules
        return position
