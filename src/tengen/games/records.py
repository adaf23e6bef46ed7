"""Games as flat arrays: what native code reads when it goes over many of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.go.rules import Rules


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
