"""Settings from words and values: what fits is read, what does not is refused by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from tengen.errors import InputError
from tengen.settings import Option, changed, describe, option, read_settings, set_keys, split_pairs


@dataclass(frozen=True)
class Section:
    width: int = 64


@dataclass(frozen=True)
class Thing:
    visits: int | None = None
    weight: float = 0.5
    method: Literal["none", "ml-dk"] = "none"
    resign: bool = True
    pools: tuple[str, ...] = ()
    net: Section = field(default_factory=Section)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ({"visits": "100"}, Thing(visits=100)),
        ({"visits": 100}, Thing(visits=100)),
        ({"visits": "none"}, Thing(visits=None)),
        ({"weight": "1"}, Thing(weight=1.0)),
        ({"weight": 1}, Thing(weight=1.0)),
        ({"method": "ml-dk"}, Thing(method="ml-dk")),
        ({"resign": "0"}, Thing(resign=False)),
        ({"resign": "yes"}, Thing(resign=True)),
        ({"resign": False}, Thing(resign=False)),
        ({"pools": "a.parquet"}, Thing(pools=("a.parquet",))),
        ({"pools": ["a", "b"]}, Thing(pools=("a", "b"))),
        ({"net": {"width": 96}}, Thing(net=Section(96))),
    ],
)
def test_words_and_values_are_read_as_the_field_has_them(table: dict[str, Any], expected: Thing) -> None:
    assert read_settings(Thing, table, "puct") == expected


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"visit": 1}, "puct has no option 'visit'; did you mean 'visits'"),
        ({"zzz": 1}, "puct has no option 'zzz': known are method, net, pools, resign, visits, weight"),
        ({"visits": "many"}, "puct: visits must be a whole number, not 'many'"),
        ({"visits": 1.5}, "puct: visits must be a whole number, not 1.5"),
        ({"visits": True}, "puct: visits must be a whole number, not True"),
        ({"weight": "nan"}, "puct: weight must be a number, not nan"),
        ({"method": "ml"}, "puct: method must be one of none, ml-dk, not 'ml'"),
        ({"resign": "perhaps"}, "puct: resign must be true or false, not 'perhaps'"),
        ({"net": 3}, "puct: net must be a section, not 3"),
        ({"net": {"widht": 3}}, "puct: net has no key 'widht'; did you mean 'width'"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(table: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_settings(Thing, table, "puct", "option")
    assert message in str(caught.value)


def test_pairs_are_split_and_a_pair_without_value_is_refused() -> None:
    assert split_pairs("visits=100, komi_method=ml-dk,", "puct") == {"visits": "100", "komi_method": "ml-dk"}
    with pytest.raises(InputError, match="'visits' in 'puct:visits': write options as name=value"):
        split_pairs("visits", "puct:visits")


def test_keys_are_set_in_tables_within_tables() -> None:
    assert set_keys({"net": {"width": 1}}, ["net.width=96", "name=long run"]) == {
        "net": {"width": 96},
        "name": "long run",
    }
    with pytest.raises(InputError, match="'name' is no table"):
        set_keys({"name": "x"}, ["name.width=3"])


@dataclass(frozen=True)
class Documented:
    visits: int | None = option(None, "Visits of the root.")
    method: Literal["none", "ml-dk"] = option("none", "How komi changes.")
    bare: float = 0.5


def test_options_are_described_where_they_are_declared() -> None:
    assert describe(Documented) == [
        Option("visits", "a whole number", None, "Visits of the root.", optional=True),
        Option("method", "none or ml-dk", "none", "How komi changes.", choices=("none", "ml-dk")),
        Option("bare", "a number", 0.5, ""),
    ]
    assert Documented() == Documented(visits=None, method="none", bare=0.5)


def test_some_settings_change_and_the_others_stay() -> None:
    settings = Documented(visits=3)
    assert changed(settings, {"method": "ml-dk"}, "puct") == Documented(visits=3, method="ml-dk")
    with pytest.raises(InputError, match="puct has no option 'visit'; did you mean 'visits'"):
        changed(settings, {"visit": "4"}, "puct")
