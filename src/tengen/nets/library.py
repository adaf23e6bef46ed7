"""Where nets are found: shipped with the package, pulled into the user's cache, or a file at hand."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from tengen.errors import InputError
from tengen.files import write_whole
from tengen.nets.card import PRECISIONS, ModelCard, NetFile
from tengen.nets.evaluator import Evaluator
from tengen.nets.fake import FakeEvaluator
from tengen.nets.known import KNOWN
from tengen.nets.paired import Paired, joined_card
from tengen.settings import suggestion

if TYPE_CHECKING:
    from tengen.nets.katago_layers import KataGoNet
    from tengen.nets.precision import Choice

CARD = "card.json"
WEIGHTS = "weights.safetensors"  # of an exported net, to go on training from
KATAGO_FILES = (".bin.gz", ".txt.gz")
SHIPPED = Path(__file__).parents[1] / "models"


def cache_folder() -> Path:
    """Where pulled nets are kept: TENGEN_CACHE, or `tengen` in the user's cache folder."""
    if folder := os.environ.get("TENGEN_CACHE"):
        return Path(folder)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "tengen"


def pulled_folder(name: str) -> Path:
    """Where a pulled net of that name is kept."""
    return cache_folder() / "nets" / name


def pulled_source(name: str) -> Path | None:
    """KataGo's own file of a pulled net, or None."""
    source = pulled_folder(name) / "source.bin.gz"
    return source if source.is_file() else None


def source_of(name: str) -> Path | None:
    """KataGo's own file behind a name: of a pulled net, or the file itself; None for other nets."""
    return Path(name) if _is_katago_file(name) else pulled_source(name)


def precisions_of(name: str) -> list[str]:
    """The precisions in which a net, or both nets of a pair, can be opened."""
    if pair := _pair(name):
        policy, value = (precisions_of(one) for one in pair)
        return [precision for precision in policy if precision in value]
    return list(find_card(name)[0].files)


def cards() -> dict[str, tuple[str, Path]]:
    """Every net at hand: name -> ("shipped" or "pulled", its folder)."""
    found: dict[str, tuple[str, Path]] = {}
    for status, base in (("pulled", cache_folder() / "nets"), ("shipped", SHIPPED)):
        if base.is_dir():
            # not what a pull has half-done, in a folder whose name begins with a dot
            folders = [card.parent for card in sorted(base.glob(f"[!.]*/{CARD}"))]
            found.update({folder.name: (status, folder) for folder in folders})
    return found


def find_card(name: str) -> tuple[ModelCard, Path]:
    """The card of a net, and the folder of its files.

    `name`: a net that ships or was pulled, an .onnx file with its card, a net's folder, or a KataGo file, whose card
    is made of it; or two of these joined by `+`.
    """
    if _is_katago_file(name):
        return _read_katago(Path(name))[0], Path(name).parent
    if name.endswith(".onnx") and Path(name).is_file():
        return ModelCard.load(Path(name).with_suffix(".json")), Path(name).parent
    at_hand = cards()
    if name in at_hand or (Path(name) / CARD).is_file():
        folder = at_hand[name][1] if name in at_hand else Path(name)
        return ModelCard.load(folder / CARD), folder
    if pair := _pair(name):
        (policy, folder), (value, _) = find_card(pair[0]), find_card(pair[1])
        return joined_card(policy, value), folder
    if name in KNOWN:
        raise InputError(f"{name} is not on this machine yet: `tengen nets pull {name}` brings it")
    if name.endswith((".onnx", *KATAGO_FILES)):
        raise InputError(f"{name}: there is no such file")
    near = suggestion(name, {*at_hand, *KNOWN})
    raise InputError(f"unknown net '{name}', and no folder, .onnx or .bin.gz file of that name{near}")


def _pair(name: str) -> tuple[str, str] | None:
    """The two nets that a name joins by `+`; None if it joins none. A file may have a `+` in its name."""
    if "+" not in name or Path(name).exists():
        return None
    policy, _, value = name.partition("+")
    if not policy or not value or "+" in value:
        raise InputError(f"'{name}': a pair of nets is POLICY-NET+VALUE-NET")
    return policy, value


def _read_katago(path: Path) -> tuple[ModelCard, KataGoNet]:
    """A KataGo file with a card of its own: it runs as it is, in fp32 and most in int16."""
    from tengen.nets.int16 import why_not
    from tengen.nets.katago_file import read_net
    from tengen.nets.katago_reader import make_card

    net = read_net(path)
    file = NetFile(path.name, net.sha256)
    precisions = ("fp32",) if why_not(net) else ("fp32", "int16")
    return replace(make_card(net), files=dict.fromkeys(precisions, file)), net


def strongest() -> str:
    """The name of the strongest net at hand: a pulled one of KataGo's before one that ships."""
    at_hand = cards()
    for name in ("b18c384nbt", "b18c384nbt-thesis", "b15c192", "b10c384h6nbttflrs", *at_hand):
        if name in at_hand:
            return name
    raise InputError("there is no net on this machine yet: `tengen nets pull b15c192` brings one")


def open_net(name: str | None = None, precision: str | None = None, threads: int | None = None) -> Evaluator:
    """The net of that name, ready to evaluate; the strongest at hand if none is named.

    `name`: a net that ships or was pulled, an .onnx file that `tengen nets convert` wrote, a folder that
    `tengen train export` wrote, a KataGo file (.bin.gz, .txt.gz), which runs in fp32 unless int16 is asked for;
    `fake`, which knows no Go, for trying things out; or `POLICY-NET+VALUE-NET`, the moves of the one and the
    judgement of the other.
    `precision`: "fp32", "int16" or "int8"; if not given, the fastest on this machine of those that are near enough
    to fp32 (`tengen nets show` says so). `threads`: all cores if not given.
    A net that is in use already is not opened again: all who ask for it get the same object.
    """
    name = name or strongest()
    if name == "fake":
        return _kept(("fake",), FakeEvaluator)
    if pair := _pair(name):
        policy, value = (open_net(one, precision, threads) for one in pair)
        return _kept((id(policy), id(value)), lambda: Paired(policy=policy, value=value))
    return _kept((name, precision, threads, _stamp(name)), lambda: _open(name, precision, threads))


# Nets in use, by what was asked for; the lock is held while one is opened, so that no two threads open the same.
_in_use: WeakValueDictionary[tuple[object, ...], Evaluator] = WeakValueDictionary()
_opening = threading.RLock()


def _kept(key: tuple[object, ...], make: Callable[[], Evaluator]) -> Evaluator:
    with _opening:
        net = _in_use.get(key)
        if net is None:
            net = _in_use[key] = make()
        return net


def _stamp(name: str) -> tuple[object, ...]:
    """Changes when a file of the net behind a name does."""
    if _is_katago_file(name):
        files = [Path(name)]
    else:
        card, folder = find_card(name)
        files = [folder / file.file for file in card.files.values()]
        files.append(Path(name).with_suffix(".json") if name.endswith(".onnx") else folder / CARD)
    return tuple(
        (str(file.resolve()), file.stat().st_mtime_ns, file.stat().st_size)
        for file in files
        if file.is_file()
    )


def _is_katago_file(name: str) -> bool:
    return name.endswith(KATAGO_FILES) and Path(name).is_file()


def _open(name: str, precision: str | None, threads: int | None) -> Evaluator:
    if not _is_katago_file(name):
        card, folder = find_card(name)
        return _open_card(card, folder, precision or choose_precision(card, folder).precision, threads)
    from tengen.nets.int16 import why_not

    card, net = _read_katago(Path(name))
    precision = precision or card.precision
    if precision == "int16" and (reason := why_not(net)):
        raise InputError(f"{name}: {reason}")
    if precision not in card.files:
        raise InputError(
            f"{name}: only fp32 and int16 are made on the fly; "
            f"`tengen nets convert {name} -o NET.onnx --precision {precision}` makes {precision} of it"
        )
    return _open_card(card, Path(name).parent, precision, threads, net)


def choose_precision(card: ModelCard, folder: Path) -> Choice:
    """The precision that `open_net` chooses on this machine if none is given, and why; may time the net, once."""
    from tengen.nets.precision import Choice, default_precision

    if not card.files:
        return Choice("", "each net of a pair has its own")
    return default_precision(
        card, lambda name: _open_card(card, folder, name, 1), cache_folder() / "speeds.json"
    )


def write_fidelity(name: str, precision: str, figures: dict[str, Any], faithful: bool) -> None:
    """Puts what a precision reaches on a net's card, and with it whether it may be the net's default."""
    card, folder = find_card(name)
    if name.endswith(KATAGO_FILES) or not card.files:
        raise InputError(
            f"{name} has no card to write to: `tengen nets convert` makes a net with a card of a file"
        )
    path = Path(name).with_suffix(".json") if name.endswith(".onnx") else folder / CARD
    measured = {**card.measured, f"{precision} against fp32": figures}
    near = {*PRECISIONS[: PRECISIONS.index(card.precision) + 1], precision}
    if not faithful:
        near.remove(precision)
    least = [one for one in PRECISIONS if one in card.files and one in near][-1]
    card = replace(card, measured=measured, precision=least)
    write_whole(path, card.to_json())


def _open_card(
    card: ModelCard, folder: Path, precision: str, threads: int | None = None, net: KataGoNet | None = None
) -> Evaluator:
    """The net of a card in a precision; `net` if its weights have been read and checked already."""
    from tengen.nets.net_evaluator import NetEvaluator
    from tengen.nets.runtime import Runs, Runtime

    if precision not in card.files:
        raise InputError(f"{card.name} has no {precision}, only {', '.join(card.files)}")
    path = folder / card.files[precision].file
    if net is None and sha256_of(path) != card.files[precision].sha256:
        raise InputError(
            f"{path}: not the file its card describes (its sha256 differs): pull or convert it again"
        )
    runtime: Runs
    if path.suffix == ".onnx" and precision == "int16":
        import onnx

        from tengen.nets.int16_plain import PlainInt16Runtime

        runtime = PlainInt16Runtime.of_graph(onnx.load(path), card.name, threads)
    elif path.suffix == ".onnx":
        runtime = Runtime(path, threads)
    else:
        weights = net or read_weights(path, card.name)
        if precision == "int16":
            from tengen.nets.int16 import Int16Runtime

            runtime = Int16Runtime(weights, threads)
        else:
            from tengen.nets.katago_graph import build

            runtime = Runtime(build(weights).SerializeToString(), threads)
    return NetEvaluator(card, runtime, precision)


def read_weights(path: Path, name: str) -> KataGoNet:
    """A net from its weights: a KataGo file, or the .safetensors of a net of ours, floats of 32 or 16 bits."""
    import numpy as np
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    from tengen.nets.katago_file import read_net
    from tengen.nets.residual_form import katago_form

    if path.name.endswith(KATAGO_FILES):
        return read_net(path)
    try:
        return katago_form({key: array.astype(np.float32) for key, array in load_file(path).items()}, name)
    except (SafetensorError, KeyError, ValueError) as error:
        raise InputError(f"{path}: not the weights of a net of ours: {error}") from None


def sha256_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
