"""The error that speaks to the user."""

from __future__ import annotations


class InputError(Exception):
    """Something the user gave cannot be used. The message says what, where and what to do.

    The command line prints it without a traceback and leaves with exit code 2.
    """
