"""Strength models: card, graph on ONNX Runtime, and the net that each belongs to.

A model is a folder with `strength.json` (the card) and `model.onnx`. The graph takes `moves` float32 [B, n, d_x] and
`mask` float32 [B, n] (1 where there is a move) and gives `output` [B, outputs]; with `direction` [B, outputs] also
`influence` [B, n], the influence of each move on the outputs in that direction (tengen.strength.influence).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.nets.card import ModelCard
from tengen.nets.evaluator import Evaluator
from tengen.nets.library import SHIPPED, cache_folder, sha256_of
from tengen.nets.runtime import Runtime
from tengen.progress import Progress, Report, silent
from tengen.strength.calibration import Calibration, Evidence
from tengen.strength.features import MoveFeatures
from tengen.strength.groups import CENTRES
from tengen.strength.windows import Floats, Inputs, Windows, inputs_of, pad

CARD, GRAPH = "strength.json", "model.onnx"
_SIZE = 19  # the only board size of the models
_BATCH = 16


@dataclass(frozen=True)
class StrengthCard:
    """The card of a strength model. `target`: "ranks" gives logits of the rank groups, "games" a normalised rating.

    `calibrations` are by scale; the first is the scale that the model was trained on.
    """

    name: str
    inputs: str
    target: str
    net: str  # name of the net that gives the features
    net_sha256: str
    width: int  # d_x
    outputs: int
    window: int  # the number of most recent moves that the model reads
    sha256: str  # of the graph
    weights: int = 0
    training: str = ""
    calibrations: dict[str, Calibration] = field(default_factory=dict)
    measured: dict[str, Any] = field(default_factory=dict)

    @property
    def scale(self) -> str:
        """The scale that the model was trained on."""
        return next(iter(self.calibrations), "")

    def to_json(self) -> str:
        return json.dumps(dataclasses.asdict(self), indent=2, ensure_ascii=False) + "\n"

    @staticmethod
    def load(path: Path) -> StrengthCard:
        try:
            table = json.loads(path.read_text(encoding="utf-8"))
            calibrations = {
                str(key): Calibration.from_table(value, str(path))
                for key, value in table.pop("calibrations", {}).items()
            }
            card = StrengthCard(**table, calibrations=calibrations)
            whole = all(type(n) is int and n > 0 for n in (card.width, card.outputs, card.window))
            if not whole or card.inputs not in get_args(Inputs) or card.target not in ("ranks", "games"):
                raise ValueError("a field has an impossible value")
        except FileNotFoundError:
            raise InputError(f"{path}: no such strength model") from None
        except (OSError, ValueError, TypeError, AttributeError) as error:
            raise InputError(f"{path}: not the card of a strength model: {error}") from None
        return card


class Raw(NamedTuple):
    """A model's output for one set of moves, before calibration.

    `number`: the expected rank of the scale, or the normalised rating. `spread`: the standard deviation of the
    distribution over groups (1 where there is none). `chances`: probabilities (groups), or None.
    """

    number: float
    spread: float
    moves: int
    chances: npt.NDArray[np.float64] | None


class StrengthModel:
    """A model from a folder. It can be shared between threads."""

    def __init__(self, card: StrengthCard, graph: bytes | Path, threads: int | None = None) -> None:
        self.card = card
        data = graph if isinstance(graph, bytes) else graph.read_bytes()
        self._forward = Runtime(_part_for(data, "output"), threads)
        self._influence = Runtime(data, threads)

    @staticmethod
    def open(folder: Path, threads: int | None = None) -> StrengthModel:
        card = StrengthCard.load(folder / CARD)
        graph = folder / GRAPH
        if sha256_of(graph) != card.sha256:
            raise InputError(f"{graph}: not the graph that its card describes (its sha256 differs)")
        for calibration in card.calibrations.values():
            calibration.check(card.sha256, card.net_sha256, card.net)
        return StrengthModel(card, graph, threads)

    def check_net(self, card: ModelCard) -> None:
        """Raises InputError for a net whose features the model was not trained on."""
        if card.identity != self.card.net_sha256:
            raise InputError(
                f"the strength model {self.card.name} reads features of {self.card.net}, not of {card.name}: "
                "its output for them would mean nothing"
            )

    def inputs(self, features: MoveFeatures) -> Floats:
        found = inputs_of(features, self.card.inputs).astype(np.float32)
        if found.shape[1] != self.card.width:
            raise InputError(
                f"the strength model {self.card.name} needs {self.card.width} features a move, not {found.shape[1]}"
            )
        return found

    def _padded(self, sets: list[Floats]) -> dict[str, Floats]:
        x, mask = pad([each[: self.card.window] for each in sets], self.card.width)
        return {"moves": x, "mask": mask.astype(np.float32)}

    def outputs(self, sets: list[Floats]) -> Floats:
        """Outputs [B, outputs] for sets [n, d_x], the most recent move of each first."""
        return self._forward.run(_SIZE, self._padded(sets), ("output",))["output"]

    def of_windows(
        self,
        windows: Windows,
        which: npt.NDArray[np.int64] | None = None,
        progress: Report = silent,
    ) -> Floats:
        """Outputs [n, outputs] for some windows (all if None); windows of similar size share a batch."""
        chosen = np.arange(len(windows)) if which is None else which
        found = np.zeros((len(chosen), self.card.outputs), np.float32)
        order = np.argsort(windows.sizes[chosen], kind="stable")
        for first in range(0, len(order), _BATCH):
            some = order[first : first + _BATCH]
            x, mask = windows.batch(chosen[some], self.card.window)
            inputs = {"moves": x, "mask": mask.astype(np.float32)}
            found[some] = self._forward.run(_SIZE, inputs, ("output",))["output"]
            progress(Progress("running the model", first + len(some), len(order)))
        return found

    def raws(self, outputs: Floats, moves: npt.ArrayLike) -> list[Raw]:
        """Reads outputs [B, outputs] of sets with these numbers of moves."""
        sizes = np.broadcast_to(np.asarray(moves, dtype=np.float64), (len(outputs),))
        if self.card.target == "games":
            return [Raw(float(y[0]), 1.0, int(n), None) for y, n in zip(outputs, sizes, strict=True)]
        return read_groups(outputs, sizes, self._evidence())

    def estimate(self, sets: list[Floats]) -> list[Raw]:
        used = [min(len(each), self.card.window) for each in sets]
        return self.raws(self.outputs(sets), used)

    def influence(self, moves: Floats) -> Floats:
        """The influence of each move [n] on the raw number: to first order, with the move less without it."""
        raw = self.estimate([moves])[0]
        direction = np.ones((1, 1), np.float32)
        if raw.chances is not None:
            sharpness = float(self._evidence().sharpening(np.array([raw.moves]))[0])
            direction = (sharpness * raw.chances * (CENTRES - raw.number)).astype(np.float32)[None]
        inputs = {**self._padded([moves]), "direction": direction}
        found: Floats = self._influence.run(_SIZE, inputs, ("influence",))["influence"][0]
        return found

    def _evidence(self) -> Evidence:
        calibration = self.card.calibrations.get(self.card.scale)
        return calibration.evidence if calibration else Evidence()


def _part_for(model: bytes, output: str) -> bytes:
    """The part of a graph that one of its outputs needs."""
    import onnx

    try:
        found = onnx.load_from_string(model)
    except Exception as error:  # protobuf has exceptions of its own
        raise InputError(f"the graph of the strength model cannot be read: {error}") from None
    graph = found.graph
    wanted = {output}
    nodes = []
    for node in reversed(graph.node):
        if wanted.intersection(node.output):
            wanted.update(node.input)
            nodes.append(node)
    kept = onnx.helper.make_graph(
        nodes[::-1],
        graph.name,
        [each for each in graph.input if each.name in wanted],
        [each for each in graph.output if each.name == output],
        [each for each in graph.initializer if each.name in wanted],
    )
    part = onnx.helper.make_model(kept, opset_imports=found.opset_import, ir_version=found.ir_version)
    return bytes(part.SerializeToString())


def read_groups(logits: Floats, moves: npt.NDArray[np.float64], evidence: Evidence) -> list[Raw]:
    """Probabilities, expected rank and its spread from logits [B, groups]."""
    chances = evidence.chances(logits.astype(np.float64), moves)
    mean = chances @ CENTRES
    spread = np.sqrt(np.maximum(chances @ CENTRES**2 - mean**2, 0.0))
    return [
        Raw(float(m), float(s), int(n), p) for m, s, n, p in zip(mean, spread, moves, chances, strict=True)
    ]


def models() -> dict[str, Path]:
    """All installed strength models by name: those that ship, then those in the user's cache."""
    found: dict[str, Path] = {}
    for base in (cache_folder() / "strength", SHIPPED):
        if base.is_dir():
            found.update({card.parent.name: card.parent for card in sorted(base.glob(f"[!.]*/{CARD}"))})
    return found


def _readable(folders: Iterable[Path]) -> tuple[dict[Path, StrengthCard], str]:
    """The cards of these models, and a note about those that cannot be read, which do not stop the others."""
    cards, faults = {}, []
    for folder in folders:
        try:
            cards[folder] = StrengthCard.load(folder / CARD)
        except InputError as error:
            faults.append(f"; {error}")
    return cards, "".join(faults)


def models_by_net() -> set[str]:
    """The identities of the nets whose features an installed model reads."""
    return {card.net_sha256 for card in _readable(models().values())[0].values()}


def find_model(evaluator: Evaluator, name: str | None = None, threads: int | None = None) -> StrengthModel:
    """The model of that name or folder, or the installed one for this net's features."""
    if name is not None:
        at_hand = models()
        folder = at_hand.get(name) or Path(name)
        model = StrengthModel.open(folder, threads)
        model.check_net(evaluator.card)
        return model
    wanted = evaluator.card.identity
    cards, faults = _readable(models().values())
    for folder, card in cards.items():
        if card.net_sha256 == wanted:
            return StrengthModel.open(folder, threads)
    known = sorted({card.net for card in cards.values()})
    there = f"there are models for {', '.join(known)}" if known else "there is none on this machine yet"
    raise InputError(
        f"no strength model reads the features of the net {evaluator.card.name}: {there}{faults}"
    )


def default_net(model: str | None = None) -> str:
    """The default net: an installed one that has a strength model; one that ships comes before a downloaded one."""
    from tengen.nets.library import cards

    at_hand = models()
    if model:
        folder = at_hand.get(model) or Path(model)
        readable, faults = {folder: StrengthCard.load(folder / CARD)}, ""
    else:
        readable, faults = _readable(at_hand.values())
    wanted = {card.net_sha256 for card in readable.values()}
    fitting = [
        (status != "shipped", name)
        for name, (status, folder) in cards().items()
        if ModelCard.load(folder / "card.json").identity in wanted
    ]
    if fitting:
        return min(fitting)[1]
    known = ", ".join(sorted({card.net for card in readable.values()})) or "none"
    raise InputError(
        f"no installed net has a strength model (there are models for: {known}): name a net with --net{faults}"
    )
