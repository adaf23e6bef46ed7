"""Lines on standard output."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

console = Console()


def print_line(text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def plain(text: str) -> str:
    """A name as it is: no markup, no control characters."""

    return escape("".join(c if c.isprintable() else "?" for c in text))
