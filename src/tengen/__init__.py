"""Tengen: software for the game of Go."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tengen.engine.engine import Engine
    from tengen.errors import InputError
    from tengen.go.color import Color
    from tengen.go.game import Game, Move
    from tengen.go.position import IllegalMove, Position
    from tengen.go.rules import Rules
    from tengen.nets.library import open_net

__all__ = ["Color", "Engine", "Game", "IllegalMove", "InputError", "Move", "Position", "Rules", "open_net"]


# Loaded when it is used: only who wants nets waits for their runtime, and the program starts at once.
_WHERE = {
    "Color": "tengen.go.color",
    "Engine": "tengen.engine.engine",
    "Game": "tengen.go.game",
    "IllegalMove": "tengen.go.position",
    "InputError": "tengen.errors",
    "Move": "tengen.go.game",
    "Position": "tengen.go.position",
    "Rules": "tengen.go.rules",
    "open_net": "tengen.nets.library",
}


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(importlib.import_module(_WHERE[name]), name)
    raise AttributeError(f"module 'tengen' has no attribute '{name}'")
