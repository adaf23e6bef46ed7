"""`tengen review`: annotated records and a page for each game."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from tengen.cli.player_options import Set
from tengen.cli.progress import progress_bar
from tengen.cli.records import output_names, read_games, record_files
from tengen.errors import InputError
from tengen.progress import Progress
from tengen.words import counted

if TYPE_CHECKING:
    from tengen.go.game import Game

app = App(name="review", help_epilogue="Example:  tengen review examples/9x9.sgf -o out/review --visits 50")


@app.default
def review(
    games: list[Path],
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    player: str = "puct",
    net: str | None = None,
    precision: str | None = None,
    visits: int | None = None,
    rollouts: int | None = None,
    threads: int | None = None,
    set_: Set = None,
    again: bool = False,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Review games: for each an annotated SGF and a page with graphs, mistakes and ownership.

    Games whose page exists already are left out: the same command continues a review that was stopped.

    Parameters
    ----------
    games
        SGF, GIB or NGF files, or folders of them.
    out
        The folder for NAME.sgf and NAME.html. Files of the same name in two folders give FOLDER-NAME.
    player
        puct searches every position; policy gives the net's own evaluation.
    net
        A net by name (`tengen nets list`), folder or file. If not given: the strongest at hand, which is the small
        one that ships, tengen, until `tengen nets pull b15c192` has brought another.
    precision
        fp32, int16 or int8. If not given: the fastest on this machine that is near enough to fp32.
    visits
        Positions that the search visits for every move; 50 if not given.
    rollouts
        Guided playouts from every position, none if not given; their results are mixed half and half with the
        net's values.
    threads
        Threads of the net and the playouts; all cores if not given.
    set_
        key=value: any option of the player. `--set help` lists them.
    again
        Review games again whose page exists already.
    json_
        Print the reviews of this run as JSON, too: one object a line.
    """
    from tengen.cli.player_options import player_maker, wants_help

    if wants_help(set_, player):
        return
    from tengen.engine.report import page
    from tengen.engine.review import annotate, review_game
    from tengen.files import write_whole
    from tengen.go.sgf import sgf_tree

    games = record_files(games)
    names = output_names(games)
    records = read_games(games)  # complains before the work begins
    flags = {"visits": visits, "rollouts": rollouts}
    maker = player_maker(player, net, precision, threads, set_, flags, {"visits": 50})
    out.mkdir(parents=True, exist_ok=True)
    done, total = 0, sum(len(record.moves) + 1 for _, record in records)
    there = 0
    about = ""
    with progress_bar("moves") as bar:
        for path, record in records:
            name = names[path]
            target = out / f"{name}.html"
            if target.exists() and not again:
                if _is_of(record, out / f"{name}.sgf"):
                    there += 1
                else:
                    bar.complain(
                        f"left out: {path}: {target} is of another game. --again overwrites it, another -o keeps both."
                    )
                done += len(record.moves) + 1
                continue
            before = done

            def show(progress: Progress, before: int = before, name: str = name) -> None:
                bar(Progress(name, before + progress.done, total))

            result = review_game(record, maker.make(), progress=show)
            done += len(record.moves) + 1
            tree = sgf_tree(path if path.name.lower().endswith(".sgf") else record.to_sgf())
            write_whole(out / f"{name}.sgf", annotate(result, tree))
            write_whole(target, page(result))
            if json_:
                print(json.dumps({"file": str(path), **result.to_json()}, ensure_ascii=False), flush=True)
            bar.say(f"{target}: {counted(len(result.mistakes()), 'mistake')} shown, by {result.judge}")
            about = result.advice or about
        if there:
            pages = "its page is" if there == 1 else "their pages are"
            bar.say(f"{counted(there, 'game')} left out: {pages} in {out} already. --again reviews anew.")
        if about:
            bar.complain(about)


def _is_of(record: Game, annotated: Path) -> bool:
    """Is this the annotated record of the game? One that cannot be read counts as such."""
    from tengen.go.game import Game

    try:
        kept = Game.from_file(annotated)
    except InputError:
        return True
    return (kept.moves, kept.black, kept.white) == (record.moves, record.black, record.white)
