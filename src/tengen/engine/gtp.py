"""GTP version 2, and the extensions of Leela Zero, KataGo, Sabaki, KGS, CGOS and GoGui.

docs/search.md lists the commands; gtp_commands.py, gtp_analysis.py and gtp_options.py hold them, gtp_core.py the
protocol.
"""

from __future__ import annotations

import contextlib
import sys

from tengen.engine import gtp_analysis, gtp_commands, gtp_options  # noqa: F401  (they register their commands)
from tengen.engine.gtp_core import COMMANDS, Gtp
from tengen.engine.lines import Lines
from tengen.engine.session import Session

__all__ = ["COMMANDS", "Gtp", "Lines", "serve"]


def serve(session: Session, ponder: bool = False) -> None:
    """GTP on standard input and output, until `quit` or until the client has gone."""
    with contextlib.suppress(BrokenPipeError):
        Gtp(session, Lines(sys.stdin.buffer), sys.stdout, ponder).run()
