"""Every command's help has an example and says the defaults; commands that print figures print them as JSON, too."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from cyclopts import App

from tengen.cli.commands import COMMANDS, make_app
from tengen.cli.main import main

# They write files, or speak a protocol: there is nothing to print as JSON.
WITHOUT_JSON = {"analyze", "gtp", "nets pull", "serve"} | {
    f"train {kind}" for kind in ("policy", "long-term", "reinforce", "strength", "value")
}
# Nothing is done with these unless they are given, and the help says what they do.
ONLY_IF_GIVEN = {"--output", "--history", "--plot", "--page", "--set"}


def commands(app: App, words: tuple[str, ...]) -> Iterator[tuple[str, App]]:
    """Every command that does something, with its words."""
    if app.default_command is not None:
        yield " ".join(words), app
    for name in app:
        if not name.startswith("-"):
            yield from commands(app[name], (*words, name))


ALL = dict(pair for name in COMMANDS for pair in commands(make_app([name])[name], (name,)))


def printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    monkeypatch.setattr(sys, "argv", ["tengen", *words])
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main()
    return capsys.readouterr().out


@pytest.mark.parametrize("command", ["", *COMMANDS, *ALL])
def test_help_has_an_example_and_fits_into_80_columns(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(monkeypatch, capsys, *command.split(), "--help")
    assert "Example" in text and f"tengen {command.split()[0] if command else ''}" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "--empty-" not in text


@pytest.mark.parametrize("command", ALL)
def test_every_option_says_what_it_does_and_its_default(command: str) -> None:
    for argument in ALL[command].assemble_argument_collection(parse_docstring=True):
        about = " ".join((argument.parameter.help or "").split())
        assert about, argument.name
        is_silent = argument.field_info.default is None and argument.name not in ONLY_IF_GIVEN
        if is_silent and command != "games filter":  # where no condition is no condition
            words = ("not given", "is given", "Without it", "this is the default")
            assert any(word in about for word in words), argument.name


@pytest.mark.parametrize("command", sorted(ALL.keys() - WITHOUT_JSON))
def test_figures_are_printed_as_json_if_asked_for(command: str) -> None:
    assert any("--json" in argument.names for argument in ALL[command].assemble_argument_collection())


@pytest.mark.parametrize("command", ["gtp", "analyze", "review", "match", "eval"])
def test_the_defaults_of_net_and_visits_are_said(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = " ".join(printed(monkeypatch, capsys, command, "--help").replace("│", " ").split())
    assert "strongest at hand" in text
    visits = {"gtp": "400 if", "analyze": "100 if", "review": "50 if", "match": "visits is 400"}
    assert visits.get(command, "there are no visits") in text


def test_ctrl_c_ends_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tengen.go.game.Game.from_file", stopped)
    monkeypatch.setattr(sys, "argv", ["tengen", "show", "game.sgf"])
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    assert ended.value.code == 130 and not out and err == "tengen: stopped by Ctrl-C\n"
