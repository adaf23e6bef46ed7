"""The player of a command: `--player NAME`, its options by flags and by `--set key=value`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

if TYPE_CHECKING:
    from tengen.engine.options import PlayerMaker

# For options that have no flag of their own; `--set help` lists all.
Set = Annotated[list[str] | None, Parameter(name=["--set", "-s"], negative=())]


def wants_help(changes: Sequence[str] | None, player: str) -> bool:
    """Whether `--set help` was given; prints the options of the player then."""
    if "help" not in (changes or ()):
        return False
    from rich.console import Console
    from rich.table import Table

    from tengen.engine.options import options_of

    table = Table("option", "value", "default", "meaning", title=f"options of {player}", title_justify="left")
    for option in options_of(player):
        kind = f"{option.kind}, or none" if option.optional else option.kind
        table.add_row(
            option.name, kind, "none" if option.default is None else str(option.default), option.meaning
        )
    Console(highlight=False).print(table, markup=False)
    return True


def player_maker(
    player: str,
    net: str | None,
    precision: str | None,
    threads: int | None,
    changes: Sequence[str] | None,
    flags: Mapping[str, Any],
    bounds: Mapping[str, Any] | None = None,
) -> PlayerMaker:
    """Opens the net and checks the options.

    `flags` that are None were not given. `changes` are those of `--set`. `bounds` hold where neither visits nor time
    were given, for a player that has them. InputError for an option that the player does not have.
    """
    from tengen.engine.options import PlayerMaker, options_of, read_options
    from tengen.nets.library import open_net
    from tengen.nets.runtime import available_threads
    from tengen.settings import set_keys

    names = {option.name for option in options_of(player)}
    table = set_keys({name: value for name, value in flags.items() if value is not None}, changes or [])
    if not {"visits", "time"} & table.keys():
        table |= {name: value for name, value in (bounds or {}).items() if name in names}
    cores = available_threads() if threads is None else threads
    if "threads" in names:
        table.setdefault("threads", cores)
        cores = read_options(player, table).threads
    else:
        read_options(player, table)
    return PlayerMaker(player, open_net(net, precision, cores), table)
