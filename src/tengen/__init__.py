"""Tengen: software for the game of Go."""

from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.game import Game, Move
from tengen.go.position import IllegalMove, Position
from tengen.go.rules import Rules

__all__ = ["Color", "Game", "IllegalMove", "InputError", "Move", "Position", "Rules"]
