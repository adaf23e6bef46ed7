"""`tengen gtp`: the engine, for a client or a server."""

from __future__ import annotations

import secrets

from cyclopts import App

app = App(
    name="gtp",
    help_epilogue="Example, for Sabaki's engine list:  tengen gtp --net b15c192 --time 5",
)


@app.default
def gtp(
    *,
    player: str = "puct",
    net: str | None = None,
    precision: str | None = None,
    visits: int | None = None,
    time: float | None = None,
    rollouts: int = 0,
    threads: int | None = None,
    memory: int = 256,
    size: int = 19,
    rules: str = "chinese",
    komi: float | None = None,
    resign: bool = True,
    ponder: bool = False,
    seed: int | None = None,
) -> None:
    """Speak GTP on standard input and output.

    Parameters
    ----------
    player
        puct searches; policy plays the net's move at once.
    net
        The net that is asked; `tengen nets list` shows them.
    precision
        fp32, int16 or int8; the fastest here that is near enough to fp32 if not given.
    visits
        Positions looked at for a move.
    time
        Seconds for a move; a clock that the client sets counts as well.
    rollouts
        Guided playouts from every position, mixed half and half with the net.
    threads
        Threads of the net and the playouts; all cores if not given.
    memory
        Megabytes for the search tree.
    resign
        Give up lost games.
    ponder
        Think on the opponent's time.
    seed
        Makes what is drawn by chance the same again.
    """
    from tengen.engine.gtp import serve
    from tengen.engine.session import Session
    from tengen.errors import InputError
    from tengen.go.rules import Rules
    from tengen.nets.library import open_net
    from tengen.nets.runtime import available_threads
    from tengen.search.registry import make_player

    try:
        terms = Rules.named(rules)
        terms = terms if komi is None else terms.with_komi(komi)
    except ValueError as error:
        raise InputError(str(error)) from None
    if not 2 <= size <= 19:
        raise InputError(f"a board has 2 to 19 lines, not {size}")
    threads = available_threads() if threads is None else threads
    seed = secrets.randbits(31) if seed is None else seed
    options: dict[str, int | float | None] = {"seed": seed, "resign": int(resign)}
    if player == "puct":
        options |= {
            "visits": visits,
            "time": time,
            "rollouts": rollouts,
            "threads": threads,
            "memory": memory,
        }
    serve(Session(make_player(player, open_net(net, precision, threads), options), terms, size), ponder)
