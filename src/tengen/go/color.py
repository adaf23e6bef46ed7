"""The two players."""

from __future__ import annotations

import enum


class Color(enum.IntEnum):
    """Black or White; the numbers are those of the native core and of `Position.stones()`."""

    BLACK = 1
    WHITE = 2

    @property
    def opponent(self) -> Color:
        return Color(3 - self)

    @property
    def letter(self) -> str:
        """`B` or `W`, as SGF writes it."""
        return "BW"[self - 1]

    def __str__(self) -> str:
        return self.name.capitalize()

    @staticmethod
    def parse(text: str) -> Color:
        """
        >>> Color.parse("w"), Color.parse("black")
        (<Color.WHITE: 2>, <Color.BLACK: 1>)
        """
        try:
            return {"b": Color.BLACK, "black": Color.BLACK, "w": Color.WHITE, "white": Color.WHITE}[
                text.lower()
            ]
        except KeyError:
            raise ValueError(f"'{text}' is not a colour: write B, W, black or white") from None
