"""The options of the player over GTP: `tengen-get` and `tengen-set`."""

from __future__ import annotations

from tengen.engine.gtp_core import Gtp, command
from tengen.engine.options import change_settings, words_of
from tengen.engine.session import CommandError
from tengen.settings import suggestion


@command("tengen-get")
def _get(gtp: Gtp, words: list[str]) -> str:
    """`tengen-get [KEY]`: the value of an option; without a key all options, one `key value` a line."""
    values = words_of(gtp.session.player)
    if not words:
        return "\n".join(f"{key} {value}" for key, value in values.items())
    if words[0] not in values:
        raise CommandError(f"there is no option '{words[0]}'{suggestion(words[0], values)}")
    return values[words[0]]


@command("tengen-set")
def _set(gtp: Gtp, words: list[str]) -> str:
    """`tengen-set KEY VALUE`: the option has this value from the next move on."""
    if len(words) < 2:
        raise CommandError("syntax error: a key and a value are needed; tengen-get lists them")
    change_settings(gtp.session.player, {words[0]: " ".join(words[1:])})
    return ""
