"""Files that a user names, read as games."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli.progress import progress_bar
from tengen.errors import InputError

if TYPE_CHECKING:
    from tengen.go.game import Game


RECORDS = (".sgf", ".gib", ".ngf")


def record_files(paths: list[Path]) -> list[Path]:
    """The files, and all records in the folders and below them, sorted by name; each once."""
    from tengen.go.files import kind_of

    files: dict[Path, Path] = {}
    for path in paths:
        inside = (
            sorted(p for p in path.rglob("*") if kind_of(p) in RECORDS and p.is_file())
            if path.is_dir()
            else [path]
        )
        if not inside:
            raise InputError(f"{path}: a folder without {', '.join(RECORDS)} files")
        for file in inside:
            files.setdefault(file.resolve(), file)
    return list(files.values())


def output_names(paths: list[Path]) -> dict[Path, str]:
    """A name for what is made of each file: that of the file, without its ending.

    Files that share a name get as many of their folders before it as tell them apart, and their kind after it where
    that is needed.

    >>> list(output_names([Path("a/game.sgf"), Path("b/game.sgf"), Path("b/2.1.sgf")]).values())
    ['a-game', 'b-game', '2.1']
    >>> list(output_names([Path("a/game.sgf"), Path("a/game.gib")]).values())
    ['game-sgf', 'game-gib']
    """
    from tengen.go.files import kind_of

    short = {path: path.name[: path.name.lower().rfind(kind_of(path))] for path in paths}
    times = Counter(short.values())
    for folders in range(max(len(path.resolve().parts) for path in paths)):
        for kind in (False, True):
            names = dict(short)
            for path in paths:
                if times[short[path]] > 1:
                    before = path.resolve().parts[1:-1][-folders:] if folders else ()
                    after = (kind_of(path)[1:],) if kind else ()
                    names[path] = "-".join((*before, short[path], *after))
            if len(set(names.values())) == len(names):
                return names
    raise InputError(f"two of the games have the same name, {times.most_common(1)[0][0]}: rename one")


def read_games(paths: list[Path]) -> list[tuple[Path, Game]]:
    """Every file with its game, those in folders too.

    Files that cannot be read are named with the reason, and left out.
    """
    from tengen.go.game import Game

    paths = record_files(paths)
    games: list[tuple[Path, Game]] = []
    last: InputError | None = None
    with progress_bar("reading") as bar:
        for number, path in enumerate(paths):
            bar.at(number, len(paths))
            try:
                games.append((path, Game.from_file(path)))
            except InputError as error:
                last = error
                if len(paths) > 1:
                    bar.complain(f"left out: {error}")
    if not games and last is not None:
        raise last if len(paths) == 1 else InputError(f"none of the {len(paths):,} files can be read")
    return games
