"""`tengen analyze`: KataGo's JSON analysis protocol."""

from __future__ import annotations

from cyclopts import App

_EXAMPLE = '{"id":"1","moves":[["B","E5"]],"rules":"chinese","boardXSize":9,"boardYSize":9}'

app = App(
    name="analyze",
    help_epilogue=f"Example:  echo '{_EXAMPLE}' | tengen analyze --visits 50",
)


@app.default
def analyze(
    *,
    player: str = "puct",
    net: str | None = None,
    precision: str | None = None,
    visits: int = 100,
    rollouts: int = 0,
    threads: int | None = None,
    workers: int = 1,
    memory: int = 256,
) -> None:
    """Answer KataGo's JSON analysis queries on standard input and output, for KaTrain and others.

    Parameters
    ----------
    player
        puct searches; policy gives the net's opinion alone.
    net
        The net that is asked; `tengen nets list` shows them.
    precision
        fp32, int16 or int8; the fastest here that is near enough to fp32 if not given.
    visits
        Positions looked at for a turn; a query's maxVisits goes before it.
    rollouts
        Guided playouts from every position, mixed half and half with the net.
    threads
        Threads of the net and the playouts; all cores if not given.
    workers
        Turns analysed at once.
    memory
        Megabytes for the search tree of each.
    """
    from tengen.engine.analysis import serve
    from tengen.engine.options import PlayerMaker
    from tengen.errors import InputError
    from tengen.nets.library import open_net
    from tengen.nets.runtime import available_threads
    from tengen.search.player import Limit

    if visits < 1 or workers < 1:
        raise InputError("--visits and --workers must be 1 or more")
    threads = available_threads() if threads is None else threads
    evaluator = open_net(net, precision, threads)
    options: dict[str, int] = {}
    if player == "puct":
        options = {"visits": visits, "rollouts": rollouts, "threads": threads, "memory": memory}
    serve(PlayerMaker(player, evaluator, options), Limit(visits=visits), workers)
