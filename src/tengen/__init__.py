"""Tengen: software for the game of Go."""

import importlib
from typing import TYPE_CHECKING, Any

from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.game import Game, Move
from tengen.go.position import IllegalMove, Position
from tengen.go.rules import Rules

if TYPE_CHECKING:
    from tengen.nets.library import load_net

__all__ = ["Color", "Game", "IllegalMove", "InputError", "Move", "Position", "Rules", "load_net"]


def __getattr__(name: str) -> Any:
    if name == "load_net":  # only who wants nets waits for their runtime
        return importlib.import_module("tengen.nets.library").load_net
    raise AttributeError(f"module 'tengen' has no attribute '{name}'")
