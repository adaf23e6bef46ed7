"""`tengen review`: annotated records and a page for each game."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from tengen.cli.progress import progress_bar
from tengen.cli.records import read_games, record_files
from tengen.errors import InputError
from tengen.progress import Progress

app = App(name="review", help_epilogue="Example:  tengen review examples/9x9.sgf -o out/review --visits 50")


@app.default
def review(
    games: list[Path],
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    net: str | None = None,
    precision: str | None = None,
    visits: int = 50,
    rollouts: int = 0,
    threads: int | None = None,
    again: bool = False,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Review games: for each an annotated SGF and a page with graphs, mistakes and ownership.

    Games whose page is there already are left alone, so that a review that was stopped can be gone on with.

    Parameters
    ----------
    games
        SGF, GIB or NGF files, or folders of them.
    out
        The folder for NAME.sgf and NAME.html.
    net
        The net that is asked; `tengen nets list` shows them.
    visits
        Positions looked at for every move.
    threads
        Threads of the net and the playouts; all cores if not given.
    again
        Review games that have been reviewed, too.
    json_
        Print the reviews of this run as JSON, too: one object a line.
    """
    from tengen.engine.report import page
    from tengen.engine.review import annotate, review_game
    from tengen.files import write_whole
    from tengen.go.sgf import sgf_tree
    from tengen.nets.library import open_net
    from tengen.nets.runtime import available_threads
    from tengen.search.registry import make_player

    if visits < 1:
        raise InputError("--visits must be 1 or more")
    games = record_files(games)
    stems = Counter(path.name.split(".")[0] for path in games)
    if twice := [stem for stem, times in stems.items() if times > 1]:
        raise InputError(f"two games would be written to {twice[0]}.html: review them into two folders")
    records = read_games(games)  # complains before the work begins
    threads = available_threads() if threads is None else threads
    evaluator = open_net(net, precision, threads)
    out.mkdir(parents=True, exist_ok=True)
    done, total = 0, sum(len(record.moves) + 1 for _, record in records)
    with progress_bar("moves") as bar:
        for path, record in records:
            stem = path.name.split(".")[0]
            target = out / f"{stem}.html"
            if target.exists() and not again:
                done += len(record.moves) + 1
                continue
            player = make_player(
                "puct", evaluator, {"visits": visits, "rollouts": rollouts, "threads": threads}
            )
            before = done

            def show(progress: Progress, before: int = before, stem: str = stem) -> None:
                bar(Progress(stem, before + progress.done, total))

            result = review_game(record, player, visits, show)
            done += len(record.moves) + 1
            tree = sgf_tree(path if path.name.lower().endswith(".sgf") else record.to_sgf())
            write_whole(out / f"{stem}.sgf", annotate(result, tree))
            write_whole(target, page(result))
            if json_:
                print(json.dumps({"file": str(path), **result.to_json()}, ensure_ascii=False), flush=True)
            bar.say(f"{target}: {len(result.mistakes())} mistakes shown")
