"""Brings KataGo's nets into the user's cache: from a wheel of PyPI, checked, converted."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import zipfile
from collections import deque
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tengen.errors import InputError
from tengen.files import write_whole
from tengen.nets.convert import convert
from tengen.nets.known import KNOWN, KnownNet
from tengen.nets.library import CARD, choose_precision, pulled_folder
from tengen.progress import Progress, Report, silent

# A wheel's net is at most this large; b18 nets have 100 MB.
_MAX_NET = 1 << 30


def pull(name: str, progress: Report = silent) -> Path:
    """Brings a known net into the cache, ready in every precision; returns its folder.

    What an earlier try left half-done is gone on with: the wheel, then the file in it, then each conversion.
    Nothing is called by its name before it is whole.
    """
    if name not in KNOWN:
        raise InputError(f"unknown net '{name}': known are {', '.join(KNOWN)}")
    known = KNOWN[name]
    folder = pulled_folder(name)
    if (folder / CARD).is_file():
        return folder
    partial = folder.with_name(f".{name}.partial")
    partial.mkdir(parents=True, exist_ok=True)
    source = partial / "source.bin.gz"
    if not source.is_file():
        progress(Progress("downloading"))
        wheel = _download(known, partial, progress)
        progress(Progress("unpacking"))
        _unpack(wheel, known, source)
        wheel.unlink()
    card = convert(source, partial, name, ("fp32", "int16", "int8"), progress)
    card = replace(
        card,
        source=f"{card.source}, from the PyPI package katrain {known.katrain}",
        licence="KataGo's neural net licence (MIT style)",
    )
    write_whole(partial / CARD, card.to_json())
    progress(Progress("timing the precisions"))
    choose_precision(card, partial)
    if folder.exists():
        shutil.rmtree(folder)
    partial.rename(folder)
    return folder


def _download(known: KnownNet, folder: Path, progress: Report) -> Path:
    """The wheel, by pip."""
    found = next(folder.glob("*.whl"), None)
    if found:
        return found
    staging = folder / "download"
    shutil.rmtree(staging, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    command += ["--ignore-requires-python", "--no-input", "--disable-pip-version-check"]
    command += ["--dest", str(staging), f"katrain=={known.katrain}"]
    if _pip_version() >= (24, 1):  # from there on pip says how far it is, a line at a time
        command += ["--progress-bar", "raw"]
    said: deque[str] = deque(maxlen=50)
    try:
        # Both of its streams in one: a pipe that nobody reads would stop it.
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as pip:
            assert pip.stdout
            try:
                for line in pip.stdout:
                    if match := re.match(r"Progress (\d+) of (\d+)", line):
                        progress(Progress("downloading", int(match[1]) / max(1, int(match[2])), 1.0))
                    elif line.strip():
                        said.append(line.strip())
            except BaseException:  # Ctrl-C: pip must not go on alone
                pip.terminate()
                raise
    except OSError as error:
        raise InputError(f"pip cannot be run: {error}") from None
    wheel = next(staging.glob("*.whl"), None)
    if pip.returncode or wheel is None:
        shutil.rmtree(staging, ignore_errors=True)
        errors = [line for line in said if line.startswith("ERROR")] or list(said)
        raise InputError(
            f"the package katrain {known.katrain}, which carries the net, could not be downloaded: "
            f"{errors[-1] if errors else f'exit code {pip.returncode}'}. "
            "Is there a network? Try again: what is there already is kept. Or give a KataGo file to "
            "`tengen nets convert`."
        )
    target = folder / wheel.name
    wheel.rename(target)
    staging.rmdir()
    return target


def _pip_version() -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in re.findall(r"\d+", version("pip"))[:2])
    except PackageNotFoundError:
        raise InputError(f"{sys.executable} has no pip, which brings the nets: install it") from None


def _unpack(wheel: Path, known: KnownNet, target: Path) -> None:
    temporary = target.with_suffix(".unchecked")
    digest = hashlib.sha256()
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [n for n in archive.namelist() if n.startswith("katrain/models/") and known.net in n]
            if len(names) != 1 or archive.getinfo(names[0]).file_size > _MAX_NET:
                raise InputError(f"{wheel.name} does not hold the net {known.net}")
            with archive.open(names[0]) as packed, temporary.open("wb") as file:
                while block := packed.read(1 << 20):
                    digest.update(block)
                    file.write(block)
    except zipfile.BadZipFile:
        wheel.unlink()
        raise InputError(f"{wheel.name} was broken on the way: pull again") from None
    if digest.hexdigest() != known.sha256:
        temporary.unlink()
        wheel.unlink()
        raise InputError(
            f"{known.net}: sha256 is {digest.hexdigest()}, not {known.sha256}: refused, nothing was kept"
        )
    temporary.rename(target)
