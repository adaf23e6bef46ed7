"""`tengen selfplay`: games of a net against itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

app = App(name="selfplay")


@app.default
def selfplay(
    *,
    net: str,
    games: int,
    size: int = 19,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    komi: float = 7.5,
    rules: str = "aga",
    seed: int = 1,
    temperature: float = 1.0,
    begin: Path | None = None,
    openings: int | None = None,
    opening_temperature: float = 1.5,
    precision: Literal["fp32", "int16", "int8"] | None = None,
    threads: int | None = None,
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Play games of a net against itself to the very end, into a pool with final margins and owners.

    Moves are drawn from the net's policy, without search. Nobody resigns, own eyes and pass-alive territory are not
    filled, and a side passes when nothing useful is left; then every point has an owner, or is neutral in a seki.
    Killed at any moment, the same command continues without a lost or doubled game. The same seed gives the same
    games for any number of threads.

    Example: tengen selfplay --net tengen --games 1000 --size 9 -o out/pools/selfplay.parquet

    Parameters
    ----------
    net
        A net with a policy: a name, a folder, or a file.
    games
        The number of games.
    size
        Lines of the board.
    output
        The pool to write.
    komi
        White's points; they decide the result that is stored, and a net may see them.
    rules
        A preset that counts area and has superko: aga, tromp-taylor or new-zealand.
    seed
        Another seed gives other games.
    temperature
        Moves are drawn from the policy at this temperature; below 1 the likely moves are drawn more often.
    begin
        A pool of games: each game begins with the first moves of one of its games, a random number of them. All games
        begin on the empty board if it is not given.
    openings
        The first moves of a game, 0 to so many, all as likely, are drawn at the temperature of openings; the lines of
        the board if not given, and none with --begin.
    opening_temperature
        Above 1: openings differ more.
    precision
        fp32, int16 or int8; the fastest of those that are near enough to fp32 if not given.
    threads
        Threads; all cores if not given.
    json_
        Print the counts as JSON.
    """
    import time

    from tengen.cli.progress import progress_bar
    from tengen.games.store import GameStore
    from tengen.nets.library import open_net
    from tengen.nets.runtime import available_threads
    from tengen.training.playing import Beginnings, Terms
    from tengen.training.selfplay import selfplay as make

    beginnings = None if begin is None else Beginnings(GameStore.open(begin), size)
    terms = Terms(
        size=size,
        komi=komi,
        rules=rules,
        seed=seed,
        temperature=temperature,
        openings=openings if openings is not None else 0 if begin else size,
        opening_temperature=opening_temperature,
        begin=beginnings.identity if beginnings else "",
    )
    with progress_bar("opening the net") as bar:
        evaluator = open_net(net, precision, 1)
        began = time.monotonic()
        store = make(
            evaluator,
            terms,
            games,
            output,
            threads=available_threads() if threads is None else threads,
            beginnings=beginnings,
            report=bar,
        )
    moves, black = int(store.frame["move_count"].sum()), int((store.frame["winner"] == "B").sum())
    figures = {
        "games": len(store),
        "moves": moves,
        "seconds": round(time.monotonic() - began, 1),
        "black_wins": black,
        "even_margins": int((store.frame["final_margin"].abs() % 2 == (size + 1) % 2).sum()),
    }
    if json_:
        print(json.dumps(figures))
        return
    print(
        f"{output}: {len(store):,} games, {moves / len(store):.1f} moves a game, Black won {black / len(store):.1%}"
    )
