"""Distillation: the outputs of a strong net, the teacher, as training targets of a smaller one. Needs no torch.

The move that was played is one target. The teacher adds the probability of every move (soft targets, Hinton et al.,
2015), its trunk features at every point (hints, Romero et al., 2015), its margin and its ownership. The targets are
computed from the record when a batch is made, in the thread that makes the planes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.games.records import Records
from tengen.go.game import WHITE_BIT
from tengen.nets.evaluation import given
from tengen.nets.katago_reader import KataGoReader
from tengen.nets.library import open_net
from tengen.nets.net_evaluator import NetEvaluator
from tengen.nets.reading import Asked
from tengen.planes import encode_records

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class TeacherTargets:
    """A teacher's outputs for n examples, in their symmetries and the mover's view.

    policy float32 [n, points], logits of the board's points; trunk float32 [n, size, size, channels], what the
    teacher's heads read; margin float32 [n], the points by which the mover will be ahead before komi; owner float32
    [n, points], from 1 (the mover's) to -1 (the opponent's).
    """

    policy: npt.NDArray[np.float32]
    trunk: npt.NDArray[np.float32]
    margin: npt.NDArray[np.float32]
    owner: npt.NDArray[np.float32]


class Teacher:
    """A KataGo net by name or file, on one thread."""

    def __init__(self, name: str) -> None:
        try:
            net = open_net(name, "int16", threads=1)
        except (
            InputError
        ):  # its blocks do not run in int16, or there is no such net: then fp32 gives the error
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
        outputs = self.net.runtime.run(size, inputs, ("policy", "trunk", "score", "ownership"))
        white = records.moves_flat[records.move_offsets[games] + moves] >= WHITE_BIT
        komi = np.where(white, -1, 1) * records.komi[games].astype(np.float64)
        said = self.net.reader.read(outputs, Asked(komi, np.ones(len(games), bool), size**2))
        policy, margin = given(said.policy)[:, :-1], given(said.mean).astype(np.float32)
        return TeacherTargets(policy, given(said.trunk), margin, given(said.ownership))
