"""Distillation: the outputs of a strong net, the teacher, as training targets of a smaller one. Needs no torch.

The move that was played is one target. The teacher adds the probability of every move (soft targets, Hinton et al.,
2015), its trunk features at every point (hints, Romero et al., 2015), its win rate, its margin and its ownership. They
come from stored labels (`tengen.training.labels`), or from a net that is asked when a batch is made, in the thread that
makes the planes: trunk features are too large to be stored.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.games.records import Records
from tengen.nets.evaluation import given
from tengen.nets.katago_reader import KataGoReader
from tengen.nets.library import open_net
from tengen.nets.net_evaluator import NetEvaluator
from tengen.nets.reading import Asked, softmax
from tengen.planes import encode_records, white_to_move

Floats = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class TeacherTargets:
    """A teacher's outputs for n examples, in their symmetries and the mover's view.

    policy float32 [n, points + 1], the chance of each move, pass last; win float32 [n], the mover's chance to win at
    komi [n], what the mover must be ahead by (the komi for Black, minus the komi for White); margin float32 [n], the
    points by which the mover is ahead before komi; owner float32 [n, points], from 1 (the mover's) to -1 (the
    opponent's); trunk float32 [n, size, size, channels], what the teacher's heads read, None in stored labels.
    """

    policy: Floats
    win: Floats
    komi: Floats
    margin: Floats
    owner: Floats
    trunk: Floats | None = None


class Teacher:
    """A KataGo net by name or file, on one thread."""

    def __init__(self, name: str) -> None:
        try:
            net = open_net(name, "int16", threads=1)
        except InputError:
            # Its blocks do not run in int16; or there is no such net, and fp32 gives the error.
            net = open_net(name, "fp32", threads=1)
        if not isinstance(net, NetEvaluator) or not isinstance(net.reader, KataGoReader):
            raise InputError(f"{name} cannot teach: a teacher is a KataGo net (a name, or a .bin.gz file)")
        self.net = net

    @property
    def channels(self) -> int:
        """Channels of the teacher's trunk."""
        return self.net.card.channels

    def targets(self, records: Records, games: Ints, moves: Ints, symmetries: Ints) -> TeacherTargets:
        """What it says of game `games[k]` after `moves[k]` moves, the board turned by `symmetries[k]`."""
        asked = encode_records(self.net.card.encoding, records, games, moves, symmetries)
        size = asked.planes.shape[-1]
        inputs = {"spatial": asked.planes, "global": asked.globals}
        outputs = self.net.runtime.run(size, inputs, ("policy", "trunk", "value", "score", "ownership"))
        sign = np.where(white_to_move(records, games, moves), -1, 1)
        komi = sign * records.komi[games].astype(np.float64)
        said = self.net.reader.read(outputs, Asked(komi, np.ones(len(games), bool), size**2))
        return TeacherTargets(
            softmax(given(said.policy)),
            given(said.win).astype(np.float32),
            komi.astype(np.float32),
            (given(said.lead) + komi).astype(np.float32),
            given(said.ownership),
            given(said.trunk),
        )
