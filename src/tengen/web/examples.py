"""Games to try the page with; they ship with the package."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent / "example_games"

EXAMPLES = {
    "19x19": "A whole game on 19x19",
    "19x19-handicap-4": "A game with four handicap stones",
    "19x19-uneven": "A game between players of unequal strength",
    "13x13": "A game on 13x13",
    "9x9": "A game on 9x9",
}


def example_sgf(name: str) -> bytes:
    """The SGF of an example; `name` is a key of EXAMPLES."""
    return (_FOLDER / f"{name}.sgf").read_bytes()
