"""`tengen gtp`: the engine, for a client or a server."""

from __future__ import annotations

import secrets

from cyclopts import App

from tengen.cli.player_options import Set

app = App(
    name="gtp",
    help_epilogue="""\
Example, for Sabaki's engine list:  tengen gtp --net b15c192 --time 5

Example: tengen gtp --player policy --set bagging=false

Example: tengen gtp --player long-term --net tengen --lines 10

Example: tengen gtp --set help""",
)


@app.default
def gtp(
    *,
    player: str = "puct",
    net: str | None = None,
    precision: str | None = None,
    visits: int | None = None,
    time: float | None = None,
    rollouts: int | None = None,
    threads: int | None = None,
    memory: int | None = None,
    candidates: int | None = None,
    lines: int | None = None,
    steps: int | None = None,
    size: int | None = None,
    rules: str = "chinese",
    komi: float | None = None,
    resign: bool | None = None,
    komi_method: str | None = None,
    ponder: bool = False,
    seed: int | None = None,
    set_: Set = None,
) -> None:
    """Speak GTP on standard input and output.

    Parameters
    ----------
    player
        puct searches; policy plays the net's move at once; long-term imagines the local fights of the net's moves.
    net
        A net by name (`tengen nets list`), folder or file. If not given: the strongest at hand, which is the small
        one that ships, tengen, until `tengen nets pull b15c192` has brought another.
    precision
        fp32, int16 or int8. If not given: the fastest on this machine that is near enough to fp32.
    visits
        Positions that the search visits for a move; 400 if neither visits nor time is given.
    time
        Seconds for a move; no limit if not given. A clock that the client sets counts as well.
    rollouts
        Guided playouts from every position, none if not given; their results are mixed half and half with the
        net's values.
    threads
        Threads of the net and the playouts; all cores if not given.
    memory
        Megabytes for the search tree; 256 if not given.
    candidates
        Of long-term: moves that are read, 10 if not given.
    lines
        Of long-term: lines that are imagined of each candidate, 20 if not given.
    steps
        Of long-term: moves of a line after the candidate, at most; 15 if not given.
    size
        Lines of the board at the start; `boardsize` changes them. If not given: 19, or the largest that the net plays.
    rules
        chinese, japanese, tromp-taylor, aga, new-zealand.
    komi
        White's points; those of the rules if not given: 7.5; japanese 6.5, new-zealand 7.
    resign
        Resign lost games; this is the default.
    komi_method
        Dynamic komi: auto, none, ss-r, ss-b, ss-m, vs-m or ml-dk (docs/search.md). If not given: auto, the best
        method for moves in games with handicap stones, and none elsewhere.
    ponder
        Search on the opponent's time.
    seed
        The same seed gives the same random choices; drawn anew at each start if not given.
    set_
        key=value: any option of the player. `--set help` lists them; the GTP command `tengen-set KEY VALUE` changes
        them during a game.
    """
    from tengen.cli.player_options import player_maker, wants_help

    if wants_help(set_, player):
        return
    from tengen.engine.gtp import serve
    from tengen.engine.session import Session
    from tengen.errors import InputError
    from tengen.go.rules import Rules

    try:
        terms = Rules.named(rules)
        terms = terms if komi is None else terms.with_komi(komi)
    except ValueError as error:
        raise InputError(str(error)) from None
    if size is not None and not 2 <= size <= 19:
        raise InputError(f"a board has 2 to 19 lines, not {size}")
    flags = {
        "visits": visits,
        "time": time,
        "rollouts": rollouts,
        "memory": memory,
        "candidates": candidates,
        "lines": lines,
        "steps": steps,
        "resign": resign,
        "komi_method": komi_method,
        "seed": secrets.randbits(31) if seed is None else seed,
    }
    ready = player_maker(player, net, precision, threads, set_, flags).make()
    serve(Session(ready, terms, size or max(ready.net.card.board_sizes)), ponder)
