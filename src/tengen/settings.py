"""Settings: frozen dataclasses read from tables of words or values.

Recipes, players, GTP's `tengen-set`, the JSON protocol and the command line all come through this reader, so that
an option has one name, one type and one error message wherever it is given.

    @dataclass(frozen=True)
    class Clean:
        visits: int | None = None
        komi_method: Literal["none", "ml-dk"] = "none"

    read_settings(Clean, {"visits": "100", "komi_method": "ml-dk"}, "puct")

A field is an int, float, str, bool, Literal, tuple of one of these, dict, another such dataclass (a section), or one
of the plain types or None. A value may be of the field's type, or a word that stands for it: "100", "true", "none".

`option(default, "meaning")` documents a field where it is declared; `describe` gives the list for help texts.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import tomllib
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar

from tengen.errors import InputError

T = TypeVar("T")


@dataclasses.dataclass(frozen=True, slots=True)
class Option:
    """One field of a settings dataclass, for help texts and menus.

    kind: in words, "a whole number", "true or false", "none or ml-dk". `optional` fields take "none" as well.
    choices: all values that there are, where they are words.
    """

    name: str
    kind: str
    default: Any
    meaning: str
    optional: bool = False
    choices: tuple[str, ...] = ()


def option(default: T, meaning: str) -> T:
    """A field with a default and its one documentation.

    visits: int | None = option(None, "Positions looked at for a move.")
    """
    return dataclasses.field(default=default, metadata={"meaning": meaning})


def describe(kind: type) -> list[Option]:
    """The options of a settings dataclass, in their order."""
    hints = typing.get_type_hints(kind)
    return [_described(f, hints[f.name]) for f in dataclasses.fields(kind) if f.init]


def _described(f: dataclasses.Field[Any], hint: Any) -> Option:
    default = None if f.default is dataclasses.MISSING else f.default
    optional = type(None) in typing.get_args(hint)
    if optional:
        hint = next(choice for choice in typing.get_args(hint) if choice is not type(None))
    choices = tuple(map(str, typing.get_args(hint))) if typing.get_origin(hint) is Literal else ()
    words = " or ".join(choices) or _KINDS.get(hint, getattr(hint, "__name__", str(hint)))
    return Option(f.name, words, default, f.metadata.get("meaning", ""), optional, choices)


def changed(settings: T, table: Mapping[str, Any], where: str, word: str = "option") -> T:
    """The settings with the table's values in place of their own, read and checked as by `read_settings`."""
    own = {f.name: getattr(settings, f.name) for f in dataclasses.fields(settings) if f.init}  # type: ignore[arg-type]
    return read_settings(type(settings), own | dict(table), where, word)


_KINDS = {int: "a whole number", float: "a number", str: "text", bool: "true or false", dict: "a table"}
_TRUE, _FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


def read_settings(kind: type[T], table: Mapping[str, Any], where: str, word: str = "key") -> T:
    """The dataclass with the table's values. InputError names what is wrong: an unknown or missing name, a bad value.

    `where` begins every message; `word` is what a name is called there ("key" of a recipe, "option" of a player).
    """
    hints = typing.get_type_hints(kind)
    fields = [f for f in dataclasses.fields(kind) if f.init]  # type: ignore[arg-type]
    known = [f.name for f in fields]
    values: dict[str, Any] = {}
    for name, value in table.items():
        if name not in known:
            raise InputError(f"{where} has no {word} '{name}'{suggestion(name, known)}")
        values[name] = fit(value, hints[name], f"{where}: {name}")
    missing = [f.name for f in fields if _is_required(f) and f.name not in values]
    if missing:
        raise InputError(f"{where} must have {', '.join(missing)}")
    return kind(**values)


def suggestion(name: str, known: Iterable[str]) -> str:
    """How an error about an unknown name goes on: the nearest known one, or all of them.

    >>> suggestion("pcut", ["puct", "policy"]), suggestion("x", ["puct", "policy"])
    ("; did you mean 'puct'?", ': known are policy, puct')
    """
    names = sorted(known)
    return did_you_mean(name, names) or f": known are {', '.join(names)}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """How an error about an unknown name goes on where there may be too many to list; empty if none is near."""
    folded = {each.casefold(): each for each in known}
    near = difflib.get_close_matches(name.casefold(), folded, 1)
    return f"; did you mean '{folded[near[0]]}'?" if near else ""


def fit(value: Any, hint: Any, where: str) -> Any:
    """The value as the type has it; InputError if it is neither of that type nor a word for it."""
    origin, choices = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Union or isinstance(hint, types.UnionType):
        plain = [choice for choice in choices if choice is not type(None)]
        if len(plain) < len(choices) and (
            value is None or (isinstance(value, str) and value.lower() in ("none", ""))
        ):
            return None
        return fit(value, plain[0], where)
    if origin is Literal:
        if value not in choices:
            raise InputError(f"{where} must be one of {', '.join(map(str, choices))}, not {value!r}")
        return value
    if origin is tuple:
        items = value if isinstance(value, list | tuple) else [value]
        return tuple(fit(item, choices[0], where) for item in items)
    if dataclasses.is_dataclass(hint):
        if isinstance(value, hint):  # type: ignore[arg-type]
            return value
        if not isinstance(value, Mapping):
            raise InputError(f"{where} must be a section, not {value!r}")
        return read_settings(hint, value, where)  # type: ignore[arg-type]
    return _plain(value, dict if origin is dict else hint, where)


def _plain(value: Any, kind: type, where: str) -> Any:
    if kind is bool and not isinstance(value, bool):
        word = str(value).lower()
        if word in _TRUE + _FALSE:
            return word in _TRUE
    elif kind in (int, float) and isinstance(value, str):
        try:
            value = int(value) if kind is int else float(value)
        except ValueError:
            raise InputError(f"{where} must be {_KINDS[kind]}, not '{value}'") from None
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if (
        not isinstance(value, kind)
        or (kind is int and isinstance(value, bool))
        or (isinstance(value, float) and not math.isfinite(value))
    ):
        raise InputError(f"{where} must be {_KINDS.get(kind, kind.__name__)}, not {value!r}")
    return value


def _is_required(f: dataclasses.Field[Any]) -> bool:
    return f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING


def split_pairs(text: str, where: str) -> dict[str, str]:
    """`name=value,name=value` as a table of words.

    >>> split_pairs("visits=100,komi_method=ml-dk", "puct")
    {'visits': '100', 'komi_method': 'ml-dk'}
    """
    table: dict[str, str] = {}
    for item in filter(None, text.split(",")):
        name, equals, value = item.partition("=")
        if not equals:
            raise InputError(f"'{item}' in '{where}': write options as name=value, with commas between them")
        table[name.strip()] = value.strip()
    return table


def set_keys(table: dict[str, Any], changes: Sequence[str], option: str = "--set") -> dict[str, Any]:
    """Puts `key=value` into a table, dotted keys into tables in it; values are TOML, or bare words."""
    for change in changes:
        key, equals, text = change.partition("=")
        if not equals or not key.strip():
            raise InputError(f"{option} wants key=value, not '{change}'")
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            value = text  # a bare word is a string
        *parents, last = key.strip().split(".")
        inner = table
        for parent in parents:
            inner = inner.setdefault(parent, {})
            if not isinstance(inner, dict):
                raise InputError(f"{option} {change}: '{parent}' is no table")
        inner[last] = value
    return table
