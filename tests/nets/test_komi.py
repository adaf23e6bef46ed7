"""Win rates at another komi: four kinds of nets, four curves, and the labels of a search."""

from __future__ import annotations

import numpy as np
import pytest

from tengen.errors import InputError
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import rises
from tengen.nets.komi import (
    STEEPEST,
    KomiKind,
    distribution_curve,
    drawn_curve,
    flat_curve,
    komi_kind,
    komi_labels_for,
    labelled_curve,
)


def card(**fields: object) -> ModelCard:
    return ModelCard("net", "policy", "golois39", (9,), **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"heads": ("values",), "komi_labels": (-0.5, 0.5)}, KomiKind.LABELS),
        ({"heads": ("values", "margin"), "komi_labels": (-0.5, 0.5)}, KomiKind.LABELS),
        ({"heads": ("policy", "margin")}, KomiKind.DISTRIBUTION),
        ({"heads": ("policy", "win_by_komi", "margin")}, KomiKind.DISTRIBUTION),
        ({"heads": ("margin",), "inputs": ("komi",)}, KomiKind.DISTRIBUTION),
        ({"heads": ("value",), "inputs": ("komi",)}, KomiKind.INPUT),
        ({"heads": ("value", "margin"), "inputs": ("rules", "komi")}, KomiKind.INPUT),
        ({"heads": ("value",), "komi_labels": (7.5,)}, KomiKind.FLAT),
        ({"heads": ("value",)}, KomiKind.FLAT),
    ],
)
def test_the_card_says_of_which_kind_a_net_is(fields: dict[str, object], kind: KomiKind) -> None:
    assert komi_kind(card(**fields)) is kind


# Labels


@pytest.mark.parametrize(
    ("size", "count", "last"), [(19, 69, [200, 280, 361]), (13, 65, [100, 140, 169]), (9, 61, [60, 80, 81])]
)
def test_a_search_keeps_labels_up_to_the_area_of_the_board(size: int, count: int, last: list[int]) -> None:
    labels = komi_labels_for(card(heads=("margin",)), size, 7.5)
    offsets = labels - np.float32(7.5)
    assert labels.dtype == np.float32 and len(labels) == count
    assert (np.diff(labels) > 0).all()
    assert offsets[-3:].tolist() == last
    assert np.array_equal(offsets, -offsets[::-1])
    middle = count // 2
    assert offsets[middle - 20 : middle + 21].tolist() == list(range(-20, 21))
    assert offsets[middle + 21] == 25


@pytest.mark.parametrize(("size", "last"), [(5, 25), (4, 16), (2, 4)])
def test_small_boards_have_no_labels_beyond_their_area(size: int, last: int) -> None:
    offsets = komi_labels_for(card(heads=("margin",)), size, -0.5) + np.float32(0.5)
    assert offsets[-1] == last and offsets[0] == -last
    assert len(set(offsets.tolist())) == len(offsets)


def test_a_nets_own_labels_are_those_of_a_search_whatever_the_komi() -> None:
    own = card(heads=("values",), komi_labels=(7.5, -0.5, 3.5))
    assert komi_labels_for(own, 9, 100.0).tolist() == [-0.5, 3.5, 7.5]


def test_one_label_is_no_curve_and_a_search_takes_its_own() -> None:
    flat = card(heads=("value",), komi_labels=(7.5,))
    assert 6.5 in komi_labels_for(flat, 9, 6.5).tolist()


# Curves


def test_between_own_labels_win_rates_are_interpolated() -> None:
    own = card(heads=("values",), komi_labels=(0.5, 2.5, 6.5))
    found = labelled_curve(own, [[0.8, 0.6, 0.2], [1.0, 0.5, 0.0]], [0.5, 1.5, 2.5, 4.5, 6.5])
    assert found[0] == pytest.approx([0.8, 0.7, 0.6, 0.4, 0.2])
    assert found[1] == pytest.approx([1.0, 0.75, 0.5, 0.25, 0.0])
    each = labelled_curve(own, [[0.8, 0.6, 0.2], [1.0, 0.5, 0.0]], np.array([[1.5], [4.5]]))
    assert each[:, 0] == pytest.approx([0.7, 0.25])


@pytest.mark.parametrize("komi", [0.4, 6.6, -361.0])
def test_beyond_its_own_labels_a_net_knows_nothing(komi: float) -> None:
    own = card(heads=("values",), komi_labels=(0.5, 6.5))
    with pytest.raises(InputError, match=f"net net has win rates from komi 0.5 to 6.5, not at komi {komi:g}"):
        labelled_curve(own, [[0.8, 0.2]], [0.5, komi])


def test_a_distribution_of_the_margin_is_logistic() -> None:
    deviation = 4 * np.pi / np.sqrt(3)  # scale 4
    found = distribution_curve([3.0], [deviation], [3.0, 7.0, -1.0])[0]
    assert found == pytest.approx([0.5, 1 / (1 + np.e), np.e / (1 + np.e)])


def test_a_drawn_curve_goes_through_the_win_rate_at_the_games_komi() -> None:
    found = drawn_curve([0.3, 0.9999, 0.0], [10.0, 2.0, 0.0], [7.5, 0.5, 6.5], [-20.0, 0.5, 6.5, 7.5, 40.0])
    assert found[0, 3] == pytest.approx(0.3)
    assert found[1, 1] == pytest.approx(0.9999)
    assert found[2, 2] == pytest.approx(0.0, abs=1e-9)
    assert all(not rises(curve) for curve in found)
    # A deviation to the side, a win rate of one half falls to that of the normal distribution's tail.
    assert drawn_curve([0.5], [10.0], [7.5], [17.5])[0, 0] == pytest.approx(0.1587, abs=0.01)


def test_with_a_lead_a_drawn_curve_is_even_at_the_komi_that_the_lead_makes_up() -> None:
    win, deviation, komi, lead = (
        [0.9, 0.1, 0.7, 0.7, 0.7],
        [20.0] * 5,
        [7.5] * 5,
        [12.0, -12.0, 0.0, -3.0, 0.5],
    )
    labels = [-4.5, 7.5, 19.5]
    found = drawn_curve(win, deviation, komi, labels, lead)
    assert found[:, 1] == pytest.approx(win)
    assert found[0, 2] == pytest.approx(0.5)
    assert found[1, 0] == pytest.approx(0.5)
    assert all(not rises(curve) for curve in found)
    # A lead that does not fit the win rate decides nothing, and a small one not too much.
    plain = drawn_curve(win, deviation, komi, labels)
    assert found[2:4] == pytest.approx(plain[2:4])
    assert found[4] == pytest.approx(drawn_curve(win, [20.0 / STEEPEST] * 5, komi, labels)[4])


def test_a_flat_curve_is_the_same_at_every_label() -> None:
    assert flat_curve([0.25, 0.75], [-10.0, 7.5, 20.0]).tolist() == [[0.25] * 3, [0.75] * 3]


def test_values_that_rise_with_komi_are_repaired() -> None:
    own = card(heads=("values",), komi_labels=(0.5, 5.5, 6.5, 7.5))
    found = labelled_curve(own, [[0.75, 0.25, 0.5, 0.125], [0.9, 0.6, 0.5, 0.4]], [0.5, 5.5, 6.0, 6.5, 7.5])
    assert found[0].tolist() == [0.75, 0.375, 0.375, 0.375, 0.125]
    assert found[1].tolist() == pytest.approx([0.9, 0.6, 0.55, 0.5, 0.4])
