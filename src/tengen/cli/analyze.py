"""`tengen analyze`: KataGo's JSON analysis protocol."""

from __future__ import annotations

from cyclopts import App

from tengen.cli.player_options import Set

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
    visits: int | None = None,
    rollouts: int | None = None,
    threads: int | None = None,
    workers: int = 1,
    memory: int | None = None,
    komi_method: str | None = None,
    set_: Set = None,
) -> None:
    """Answer KataGo's JSON analysis queries on standard input and output, for KaTrain and others.

    A query's `overrideSettings` takes some of KataGo's settings (docs/search.md) and the options of the player.

    Parameters
    ----------
    player
        puct searches; policy gives the net's own evaluation; long-term imagines the local fights of the net's moves
        (--set steps=15, candidates=10, lines=20).
    net
        A net by name (`tengen nets list`), folder or file. If not given: the strongest at hand, which is the small
        one that ships, tengen, until `tengen nets pull b15c192` has brought another.
    precision
        fp32, int16 or int8. If not given: the fastest on this machine that is near enough to fp32.
    visits
        Positions that the search visits for a turn; 100 if not given. A query's maxVisits comes before it.
    rollouts
        Guided playouts from every position, none if not given; their results are mixed half and half with the
        net's values.
    threads
        Threads of the net and the playouts; all cores if not given.
    workers
        Turns that are analysed at once.
    memory
        Megabytes for the search tree of each; 256 if not given.
    komi_method
        Dynamic komi: auto, none, ss-r, ss-b, ss-m, vs-m or ml-dk (docs/search.md). If not given: none.
        Win rates and leads are always those at the game's komi.
    set_
        key=value: any option of the player. `--set help` lists them.
    """
    from tengen.cli.player_options import player_maker, wants_help

    if wants_help(set_, player):
        return
    from tengen.engine.analysis import serve
    from tengen.engine.options import limit_of
    from tengen.errors import InputError

    if workers < 1:
        raise InputError("--workers must be 1 or more")
    flags = {"visits": visits, "rollouts": rollouts, "memory": memory, "komi_method": komi_method}
    maker = player_maker(player, net, precision, threads, set_, flags, {"visits": 100})
    serve(maker, limit_of(maker.make()), workers)
