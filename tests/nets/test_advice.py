"""What is said of the net that judges."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tengen.errors import InputError
from tengen.nets.advice import SMALL, advice
from tengen.nets.card import ModelCard
from tengen.nets.fake import FakeEvaluator
from tengen.nets.library import find_card
from tengen.nets.paired import joined_card

SHIPPED = find_card("tengen")[0]


@pytest.fixture(autouse=True)
def no_pulled_nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENGEN_CACHE", str(tmp_path))


def test_the_shipped_net_has_learnt_boards_from_7x7_to_19x19() -> None:
    assert [size for size in range(2, 20) if SHIPPED.has_learnt(size)] == list(range(7, 20))


def test_a_net_for_one_board_is_not_to_be_relied_on_elsewhere() -> None:
    one = replace(SHIPPED, trained_sizes=(19,))
    assert one.has_learnt(19) and not one.has_learnt(9)
    assert "tengen has learnt from games on 19x19 only: do not rely on it on 9x9" in advice(one, 9)


@pytest.mark.parametrize("size", [9, 19])
def test_the_way_to_a_stronger_net_is_said(size: int) -> None:
    assert advice(SHIPPED, size).endswith("`tengen nets pull b15c192`, then `--net b15c192`.")


def test_a_net_that_is_there_is_not_pulled_again(tmp_path: Path) -> None:
    (tmp_path / "nets" / "b15c192").mkdir(parents=True)
    (tmp_path / "nets" / "b15c192" / "card.json").write_text(SHIPPED.to_json())
    assert advice(SHIPPED, 19).endswith("For a stronger one: `--net b15c192`.")


def test_of_large_nets_and_of_fakes_nothing_is_said() -> None:
    large = replace(SHIPPED, weights=SMALL, trained_sizes=())
    assert advice(large, 9) == advice(large, 19) == advice(FakeEvaluator().card, 9) == ""
    some = replace(large, name="large", trained_sizes=(13, 19))
    assert "large has learnt from games on boards from 13x13 to 19x19 only" in advice(some, 9)
    assert advice(some, 15) == ""


def test_in_a_pair_the_net_that_judges_counts() -> None:
    anywhere = replace(SHIPPED, name="any", trained_sizes=())
    assert joined_card(SHIPPED, anywhere).has_learnt(9)
    assert not joined_card(anywhere, replace(SHIPPED, trained_sizes=(19,))).has_learnt(9)


@pytest.mark.parametrize("sizes", [[25], [0], "19", [True]])
def test_a_card_with_impossible_sizes_is_refused(sizes: object) -> None:
    text = json.dumps({**json.loads(SHIPPED.to_json()), "trained_sizes": sizes})
    with pytest.raises(InputError, match="trained_sizes"):
        ModelCard.from_json(text)
