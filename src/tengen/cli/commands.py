"""The `tengen` command: finds the command, turns errors into messages and exit codes."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cyclopts import App, Parameter
from rich.console import Console
from rich.text import Text

from tengen.errors import InputError

# One module each, loaded only for its own command: `tengen gtp` does not wait for what `tengen games` needs.
COMMANDS = {
    "analyze": "Answer KataGo's JSON analysis queries, for KaTrain and others.",
    "bench": "Measure how fast this machine runs Tengen.",
    "eval": "Evaluate a position: win rate, lead, moves, ownership, win rate by komi.",
    "games": "Pools of games: import, show, filter, export.",
    "gtp": "Speak GTP: the engine, for a client or a server.",
    "match": "Play a match between two players or GTP programs.",
    "measure": "Measure how well nets predict moves, judge who wins, find mistakes.",
    "nets": "Nets: list, show, pull, convert, bench.",
    "predict": "Compare a game's moves with a net's.",
    "rate": "Ratings from results: Elo, Glicko-2, whole-history rating.",
    "regress": "Answer GNU Go's regression suites.",
    "reproduce": "Draw a published figure, or make a table, with your own data.",
    "review": "Review games: mistakes, graphs, ownership.",
    "score": "Count a game; dead stones are given or guessed.",
    "selfplay": "Play games of a net against itself, into a pool.",
    "serve": "Serve the web page: strength, review, play.",
    "show": "Show a game: board, players, result.",
    "strength": "Estimate the strength of players from their moves.",
    "tournament": "Play a tournament: everyone against everyone.",
    "train": "Train nets and strength models.",
    "tricks": "Rate the right and the wrong answers to trick plays.",
}


def make_app(words: Sequence[str]) -> App:
    """The command for what was typed after `tengen`.

    The list of commands is printed from the table; the help of one comes from its module, with its example.
    """
    app = App(
        name="tengen",
        help="""\
Software for the game of Go. `tengen COMMAND --help` shows the options of a command, and an example.

Example: tengen review game.sgf -o out""",
        default_parameter=Parameter(negative_iterable=()),
        suppress_keyboard_interrupt=False,  # `main` says that it was stopped
    )
    is_listing = not words or words[0] not in COMMANDS
    for name, line in COMMANDS.items():
        app.command(f"tengen.cli.{name}:app", name=name, **({"help": line} if is_listing else {}))
    return app


def run() -> None:
    """Runs the command of the process's arguments and ends the process; an error of the user's is a message."""
    try:
        words = sys.argv[1:]
        sys.exit(make_app(words)(words))
    except InputError as error:
        # What the user gave may be in the message: its brackets are no markup.
        message = Text.assemble(("tengen: ", "red"), str(error))
        Console(stderr=True, highlight=False, soft_wrap=True).print(message)
        sys.exit(2)
