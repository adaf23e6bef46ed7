"""Options of players on the command line: flags, `--set`, and what is refused."""

from __future__ import annotations

import pytest

from tengen.cli.player_options import player_maker, wants_help
from tengen.engine.options import PlayerMaker, limit_of
from tengen.errors import InputError
from tengen.search.player import Limit


def made(
    player: str = "puct", changes: list[str] | None = None, bounds: int | None = None, **flags: object
) -> PlayerMaker:
    return player_maker(
        player, "fake", None, 1, changes, flags, None if bounds is None else {"visits": bounds}
    )


def test_flags_and_set_are_options_of_the_player() -> None:
    settings = made(visits=30, memory=None, changes=["c_puct=0.9", "resign=false"]).make().settings
    assert (settings.visits, settings.c_puct, settings.resign, settings.memory) == (30, 0.9, False, 256)
    assert made(visits=30, changes=["visits=40"]).make().settings.visits == 40


def test_a_bound_of_the_command_holds_where_none_is_given() -> None:
    assert limit_of(made(bounds=50).make()) == Limit(visits=50)
    assert limit_of(made(bounds=50, visits=None, changes=["time=0.5"]).make()) == Limit(seconds=0.5)
    assert limit_of(made("policy", bounds=50).make()) == Limit(visits=1)


@pytest.mark.parametrize(
    ("player", "changes", "message"),
    [
        ("puct", ["vists=3"], "player puct has no option 'vists'; did you mean 'visits'"),
        ("puct", ["visits=many"], "visits must be a whole number"),
        ("puct", ["visits"], "--set wants key=value"),
        ("policy", ["visits=3"], "player policy has no option 'visits'"),
        ("pukt", [], "there is no player 'pukt'; did you mean 'puct'"),
    ],
)
def test_what_cannot_be_is_refused_by_name(player: str, changes: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        made(player, changes)


def test_help_lists_every_option(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert (
        wants_help(["help"], "puct") and not wants_help(["visits=3"], "puct") and not wants_help(None, "puct")
    )
    shown = capsys.readouterr().out
    assert all(name in shown for name in made().names)
