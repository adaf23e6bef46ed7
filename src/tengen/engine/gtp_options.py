"""Options over GTP: `tengen-get` and `tengen-set` for those of the player, KataGo's `kata-get-param` and its kin for
the parameters that KataGo has too."""

from __future__ import annotations

import json
import time
from typing import Any

from tengen.engine import kata_params
from tengen.engine.about import models
from tengen.engine.gtp_core import Gtp, command
from tengen.engine.options import change_settings, words_of
from tengen.engine.session import CommandError
from tengen.nets.favour import takes_favour
from tengen.settings import suggestion

_ANALYSIS_NOISE = "analysisWideRootNoise"
_PONDERING = "ponderingEnabled"


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


def _params(gtp: Gtp) -> dict[str, str]:
    """The parameters of KataGo that have an effect here, with their values."""
    options = words_of(gtp.session.player)
    values = {name: options[ours] for name, ours in kata_params.OPTIONS.items() if ours in options}
    values |= gtp.params.words()
    values |= {_ANALYSIS_NOISE: str(gtp.analysis_noise), _PONDERING: "true" if gtp.ponder else "false"}
    return dict(sorted(values.items()))


def _change(gtp: Gtp, name: str, value: Any) -> None:
    _check(gtp, name)
    try:
        if name in kata_params.OPTIONS:
            change_settings(gtp.session.player, {kata_params.OPTIONS[name]: value})
        elif name == _PONDERING:
            gtp.ponder = kata_params.truth(value)
        elif name == _ANALYSIS_NOISE:
            gtp.analysis_noise = gtp.params.changed("wideRootNoise", value).root_noise
        else:
            params = gtp.params.changed(name, value)
            if params.doublings and not takes_favour(gtp.session.player.net):
                raise CommandError(f"net {gtp.session.player.net.card.name} does not take {name}")
            gtp.params = params
    except ValueError as error:
        raise CommandError(f"{name} {error}") from None


def _check(gtp: Gtp, name: str) -> None:
    known = _params(gtp)
    if name not in known:
        raise CommandError(f"there is no parameter '{name}'{suggestion(name, known)}")


@command("kata-list-params")
def _list_params(gtp: Gtp, words: list[str]) -> str:
    return " ".join(_params(gtp))


@command("kata-get-param")
def _get_param(gtp: Gtp, words: list[str]) -> str:
    if not words:
        raise CommandError("syntax error: a parameter is needed; kata-list-params lists them")
    _check(gtp, words[0])
    return _params(gtp)[words[0]]


@command("kata-set-param")
def _set_param(gtp: Gtp, words: list[str]) -> str:
    if len(words) < 2:
        raise CommandError("syntax error: a parameter and a value are needed; kata-list-params lists them")
    _change(gtp, words[0], " ".join(words[1:]))
    return ""


@command("kata-get-params")
def _get_params(gtp: Gtp, words: list[str]) -> str:
    """All parameters as one JSON object."""
    return json.dumps(_params(gtp), separators=(",", ":"))


@command("kata-set-params")
def _set_params(gtp: Gtp, words: list[str]) -> str:
    """`kata-set-params {"NAME":VALUE,...}`."""
    try:
        table = json.loads(" ".join(words))
    except (ValueError, RecursionError):
        table = None
    if not isinstance(table, dict):
        raise CommandError("syntax error: a JSON object is needed")
    for name, value in table.items():
        _change(gtp, name, value)
    return ""


@command("kata-get-models")
def _get_models(gtp: Gtp, words: list[str]) -> str:
    return json.dumps(models(gtp.session.player), separators=(",", ":"))


@command("cputime", "gomill-cpu_time")
def _cpu_time(gtp: Gtp, words: list[str]) -> str:
    """Seconds of processor time that the engine has used, over all its threads."""
    return f"{time.process_time():.3f}"
