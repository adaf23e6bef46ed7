"""Tengen: software for the game of Go."""

import importlib
from typing import TYPE_CHECKING, Any

from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.game import Game, Move
from tengen.go.position import IllegalMove, Position
from tengen.go.rules import Rules

if TYPE_CHECKING:
    from tengen.engine.engine import Engine
    from tengen.nets.library import open_net

__all__ = ["Color", "Engine", "Game", "IllegalMove", "InputError", "Move", "Position", "Rules", "open_net"]


# Only who wants nets waits for their runtime.
_LATE = {"Engine": "tengen.engine.engine", "open_net": "tengen.nets.library"}


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(importlib.import_module(_LATE[name]), name)
    raise AttributeError(f"module 'tengen' has no attribute '{name}'")
