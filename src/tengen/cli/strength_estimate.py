"""`tengen strength GAMES` and `tengen strength vs`: the strength of one player, and of two compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter
from rich.columns import Columns
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tengen.cli.progress import progress_bar
from tengen.cli.records import read_games
from tengen.words import counted

if TYPE_CHECKING:
    from tengen.go.game import Game
    from tengen.nets.evaluator import Evaluator
    from tengen.strength.estimate import Estimate, Report, TellingMove
    from tengen.strength.model import StrengthModel

_console = Console(highlight=False)
ScaleName = Literal["fox", "kgs", "ogs", "egf"]
_Json = Annotated[bool, Parameter(name="--json", negative=())]
_AROUND = 4  # points shown on every side of a telling move


def estimate(
    games: list[Path],
    /,
    *,
    player: str | None = None,
    net: str | None = None,
    model: str | None = None,
    scale: ScaleName | None = None,
    plot: Path | None = None,
    threads: int | None = None,
    json_: _Json = False,
) -> None:
    """Estimate the strength of a player from games: rating, interval, rank, and the moves with the most influence.

    A rank at the end of the scale reads "4k or weaker": the model cannot tell players beyond it apart.

    Example: tengen strength my-games/*.sgf --player Shusaku

    Example: tengen strength a1.sgf a2.sgf --scale kgs --plot strength.png

    Example: tengen strength vs ann1.sgf ann2.sgf -- bo1.sgf bo2.sgf

    Parameters
    ----------
    games
        SGF, GIB or NGF files, or folders of them.
    player
        The player. If not given: the one player who is in all files. "black" or "white" where records have no names.
    net
        The net that evaluates the moves; the small one that ships, tengen, if not given. b15c192 is stronger:
        `tengen nets pull b15c192` brings it.
    model
        A strength model by name or folder; the one that goes with the net if not given.
    scale
        The server whose ranks are printed; that of the model's training games if not given. Others are approximate.
    plot
        Draw estimates and intervals, game by game (.png, .svg, .pdf).
    threads
        Threads of the net; all cores if not given.
    json_
        Print everything as JSON.
    """
    if plot is not None:
        from tengen.plots import check_format

        check_format(plot)
    from tengen.nets.advice import advice
    from tengen.strength.estimate import SIZE

    read = read_games(games)
    games, records = [path for path, _ in read], [record for _, record in read]
    evaluator, strength = _open(net, model, threads)
    report = _estimate(records, player, evaluator, strength, scale)
    if plot is not None:
        from tengen.files import write_whole
        from tengen.strength.plot import draw

        named = [(games[at].name, found) for at, found in report.by_game]
        write_whole(plot, draw(report.player, report.whole, named, plot.suffix.lstrip(".").lower()))
    if json_:
        table = report.to_json([str(path) for path in games])
        print(
            json.dumps({"net": evaluator.card.name, "model": strength.card.name, **table}, ensure_ascii=False)
        )
        return
    _print_report(report, games, records, advice(evaluator.card, SIZE))
    if plot is not None:
        _console.print(Text(f"Drawn: {plot}"))


vs = App(
    name="vs",
    end_of_options_delimiter="",
    help_epilogue="Example: tengen strength vs ann1.sgf ann2.sgf -- bo1.sgf bo2.sgf",
)


@vs.default
def compare(
    files: Annotated[list[str], Parameter(allow_leading_hyphen=True)],
    /,
    *,
    first: str | None = None,
    second: str | None = None,
    net: str | None = None,
    model: str | None = None,
    threads: int | None = None,
    json_: _Json = False,
) -> None:
    """Estimate who would win an even game, and with what chance, from games of both players.

    Parameters
    ----------
    files
        Games of the first player, then --, then games of the second.
    first
        The name of the first player; the one who is in all of these games if not given.
    second
        The name of the second player; the one who is in all of those games if not given.
    net
        The net that evaluates the moves; the small one that ships, tengen, if not given.
    model
        A strength model by name or folder; the one that goes with the net if not given.
    threads
        Threads of the net; all cores if not given.
    json_
        Print everything as JSON.
    """
    from tengen.errors import InputError
    from tengen.nets.advice import advice
    from tengen.strength.estimate import SIZE
    from tengen.strength.versus import chance_to_win

    if files.count("--") != 1 or files[0] == "--" or files[-1] == "--":
        raise InputError("name games of one player, then --, then games of the other: vs A.sgf -- B.sgf")
    at = files.index("--")
    evaluator, strength = _open(net, model, threads)
    read = [read_games([Path(file) for file in part]) for part in (files[:at], files[at + 1 :])]
    one, two = (
        _estimate([game for _, game in part], name, evaluator, strength, None)
        for part, name in zip(read, (first, second), strict=True)
    )
    chance = chance_to_win(one.whole, two.whole)
    if json_:
        players = [
            report.to_json([str(path) for path, _ in part])
            for report, part in zip((one, two), read, strict=True)
        ]
        nets = {"net": evaluator.card.name, "model": strength.card.name}
        print(json.dumps({**nets, "chance": chance, "players": players}, ensure_ascii=False))
        return
    for report in (one, two):
        _console.print(Text.assemble((_printable(report.player), "bold"), ": ", _sentence(report.whole)))
    ahead, share = (one, chance) if chance >= 0.5 else (two, 1 - chance)
    _console.print(Text(f"{_printable(ahead.player)} wins an even game with a chance of {share:.0%}"))
    if about := advice(evaluator.card, SIZE):
        _console.print(Text(f"Note: {about}", style="yellow"))


def _open(net: str | None, model: str | None, threads: int | None) -> tuple[Evaluator, StrengthModel]:
    from tengen.nets.library import open_net
    from tengen.strength.model import default_net, find_model

    evaluator = open_net(net or default_net(model), threads=threads)
    return evaluator, find_model(evaluator, model)


def _estimate(
    records: list[Game], player: str | None, evaluator: Evaluator, model: StrengthModel, scale: str | None
) -> Report:
    from tengen.strength.estimate import estimate

    with progress_bar("looking at moves") as bar:
        return estimate(records, player, evaluator, model, scale=scale, progress=bar)


def _sentence(found: Estimate) -> str:
    from tengen.strength.words import SCALE_NAMES

    about = "about " if found.approximate else ""
    server = f"{SCALE_NAMES.get(found.scale, found.scale)} " if found.rank else ""
    return f"{about}{server}{found.words(found.rating)}, 80 %: {found.range(found.interval80)}"


def _print_report(report: Report, paths: list[Path], records: list[Game], about_net: str) -> None:
    whole = report.whole
    _console.print(Text.assemble((_printable(report.player), "bold"), ": ", (_sentence(whole), "bold")))
    digits = 1 if whole.rating < 100 else 0
    ends = f"{whole.range(whole.interval95)}; " if whole.rank else ""
    low, high = (f"{end:.{digits}f}" for end in whole.interval95)
    around = f" ± {whole.deviation:.{digits}f} ({low} to {high})"
    # Where the whole interval is at an end of the scale, its width says nothing.
    match [whole.beyond(end) for end in whole.interval95]:
        case ["weaker", "weaker"]:
            around = " or less"
        case ["stronger", "stronger"]:
            around = " or more"
    _console.print(
        f"95 %: {ends}rating {whole.rating:.{digits}f}{around}, "
        f"from {counted(whole.moves, 'move')} of {counted(whole.games, 'game')}"
    )
    if whole.chances:
        likely = sorted(whole.chances.items(), key=lambda pair: -pair[1])[:4]
        of = "chances" if whole.scale == "fox" else "chances of Fox's ranks"  # which the groups are
        _console.print(
            f"{of}: " + ", ".join(f"{_group(name)} {share:.0%}" for name, share in likely if share >= 0.005)
        )
    for note in [*report.notes, *filter(None, [about_net])]:
        _console.print(Text(f"Note: {note}", style="yellow"))
    if len(report.by_game) > 1:
        table = Table("game", "moves", "rank", "80 %", "rating")
        for game, found in report.by_game[:50]:
            ranks = (found.words(found.rating), found.range(found.interval80)) if found.rank else ("-", "-")
            rating = f"{found.rating:.{digits}f}"
            table.add_row(Text(paths[game].name), str(found.moves), *ranks, rating)
        _console.print(table)
        if len(report.by_game) > 50:
            _console.print(f"... and {len(report.by_game) - 50} more; --json has them all")
    for title, moves in (("raised", report.raised), ("lowered", report.lowered)):
        if moves:
            _console.print(f"\nMoves that {title} the estimate most:")
            _console.print(Columns([_local_board(move, paths, records) for move in moves], padding=(0, 3)))


def _group(name: str) -> str:
    """The name of a rank group; the first and the last stand for all players beyond them.

    >>> _group("3-5k"), _group("1-2k"), _group("9d")
    ('3-5k or weaker', '1-2k', '9d or stronger')
    """
    from tengen.strength.groups import GROUPS

    return name + {GROUPS[0]: " or weaker", GROUPS[-1]: " or stronger"}.get(name, "")


def _local_board(move: TellingMove, paths: list[Path], records: list[Game]) -> Text:
    """The surroundings of a move, the move itself in brackets."""
    position = records[move.game].position(move.number)
    size = position.size
    y, x = divmod(move.point, size)
    first = min(max(x - _AROUND, 0), size - 2 * _AROUND - 1)
    top = min(max(y - _AROUND, 0), size - 2 * _AROUND - 1)
    lines = str(position).splitlines()
    shown = [lines[0], *lines[1 + top : 2 + top + 2 * _AROUND]]
    end = 2 + 2 * (first + 2 * _AROUND + 1) + 1
    board = "\n".join(line[:2] + line[2 + 2 * first : end] for line in shown)
    title = f"{move.number} {move.color.letter} {move.vertex} {move.influence:+.2f}"
    return Text.assemble((title, "bold"), "\n", (_printable(paths[move.game].name)[:20], "dim"), "\n", board)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text)
