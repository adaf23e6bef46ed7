"""How games ended, as a value head is taught it: who won, by how much, who owned which point.

A counted game's owners are those of playouts from its last position, dead stones and all. They are kept only
where their score agrees with the one in the record: playouts do not see every seki, players do miscount, and
a record may end before the game did.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.games.store import GameStore
from tengen.go.playouts import playout_statistics
from tengen.go.result import ResultKind

PLAYOUTS = 48
OWNED = 0.5  # a point is somebody's if he has it so much oftener than the other
# Area and territory scores differ by a point; dame left open and a playout's slip by a little more.
AGREES = 3.0
# Results that the board brought about.
DECIDED = (ResultKind.SCORE, ResultKind.RESIGN, ResultKind.WIN)


@dataclass(frozen=True)
class Outcomes:
    """Of n games, in Black's view.

    margin float32 [n]: Black's points less White's before komi, of counted games, else NaN. winner int8 [n]: 1
    Black, -1 White, 0 where the board did not decide (time, forfeit, draw, unknown). komi float32 [n]. owner int8
    [kept, points] with 1 Black's, -1 White's, 0 nobody's; row int64 [n] is a game's row in it, -1 for none.
    """

    margin: npt.NDArray[np.float32]
    winner: npt.NDArray[np.int8]
    komi: npt.NDArray[np.float32]
    owner: npt.NDArray[np.int8]
    row: npt.NDArray[np.int64]


def outcomes(store: GameStore, threads: int = 1) -> Outcomes:
    """How the games of a pool on one board size ended."""
    frame = store.frame
    komi = frame["komi"].to_numpy().astype(np.float32)
    decided = frame["result"].is_in([kind.value for kind in DECIDED])
    black, white = (
        (decided & (frame["winner"] == color)).fill_null(False).to_numpy().astype(np.int8) for color in "BW"
    )
    winner = black - white
    counted = (frame["result"] == ResultKind.SCORE.value).fill_null(False).to_numpy()
    points = frame["margin"].fill_null(np.nan).to_numpy().astype(np.float32)
    margin = np.where(counted, winner * points + komi, np.nan).astype(np.float32)
    row = np.full(len(store), -1, np.int64)
    owners: list[npt.NDArray[np.int8]] = []
    for i in np.flatnonzero(np.isfinite(margin)):
        position = store.game(int(i)).position()
        found = playout_statistics(position, PLAYOUTS, policy="guided", threads=threads).ownership
        owner = (found > OWNED).astype(np.int8) - (found < -OWNED).astype(np.int8)
        if abs(float(owner.sum()) - margin[i]) <= AGREES:
            row[i] = len(owners)
            owners.append(owner.ravel())
    size = int(frame["size"][0]) if len(frame) else 0
    table = np.stack(owners) if owners else np.zeros((0, size * size), np.int8)
    return Outcomes(margin, winner, komi, table, row)


@dataclass(frozen=True)
class Endings:
    """How the games of n examples ended, in the mover's view and the example's symmetry.

    margin float32 [n]: his points less the other's before komi, NaN where not counted; komi float32 [n]: what
    he must be ahead by to win (Black the komi, White less than nothing); won int8 [n]: 1, -1, or 0 where not
    known; owner int8 [n, points]: 1 his, -1 the other's, 0 nobody's, and UNKNOWN all over where not known.
    """

    margin: npt.NDArray[np.float32]
    komi: npt.NDArray[np.float32]
    won: npt.NDArray[np.int8]
    owner: npt.NDArray[np.int8]


UNKNOWN = -2


def endings(
    outcomes: Outcomes,
    games: npt.NDArray[np.int64],
    white: npt.NDArray[np.bool_],
    carried: npt.NDArray[np.int64],
) -> Endings:
    """Of examples from these games with White to move or not.

    `carried` [n, points]: where each point of the board comes to lie in the example's symmetry.
    """
    sign = np.where(white, -1, 1).astype(np.int8)
    owner = np.full(carried.shape, UNKNOWN, np.int8)
    known = np.flatnonzero(outcomes.row[games] >= 0)
    owner[known[:, None], carried[known]] = outcomes.owner[outcomes.row[games[known]]] * sign[known, None]
    return Endings(
        sign * outcomes.margin[games], sign * outcomes.komi[games], sign * outcomes.winner[games], owner
    )
