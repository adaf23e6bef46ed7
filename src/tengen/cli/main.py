"""The `tengen` program. It imports nothing heavy, so that Ctrl-C ends it in peace while it loads as well."""

from __future__ import annotations

import sys


def main() -> None:
    try:
        from tengen.cli.commands import run

        run()
    except KeyboardInterrupt:
        if sys.argv[1:2] not in (
            ["gtp"],
            ["analyze"],
        ):  # those two end for another program, which reads their output
            sys.stderr.write("tengen: stopped by Ctrl-C\n")
        sys.exit(130)
