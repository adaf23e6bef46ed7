"""Numbers in sentences."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """
    >>> counted(1, "move"), counted(1200, "game")
    ('1 move', '1,200 games')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
