"""The `tengen` program. It imports nothing heavy, so that Ctrl-C ends it in peace while it loads as well."""

from __future__ import annotations

import sys


def main() -> None:
    try:
        from tengen.cli.commands import run

        run()
    except KeyboardInterrupt:
        sys.exit(130)
