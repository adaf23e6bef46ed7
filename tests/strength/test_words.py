"""Estimates in words."""

from __future__ import annotations

from dataclasses import replace

from tengen.strength.calibration import Interval
from tengen.strength.estimate import Estimate
from tengen.strength.words import axis, other_scales, sentence

FOX = Estimate(
    31.4, 1.5, Interval(29.4, 33.4), Interval(28.0, 35.0), "2d", "fox", 300, 3, Interval(25.0, 39.0)
)


def test_the_sentence_has_rank_and_band() -> None:
    expected = "plays like a Fox 2 dan; four times in five such a player is between 1 kyu and 4 dan"
    assert sentence(FOX) == expected


def test_ranks_at_the_ends_of_the_model_are_open() -> None:
    found = sentence(replace(FOX, ends=Interval(31.0, 39.0), interval80=Interval(31.0, 33.4)))
    assert found == (
        "plays like a Fox 2 dan or weaker; four times in five such a player is between 2 dan or weaker and 4 dan"
    )


def test_other_servers_are_approximate() -> None:
    rows = {row["scale"]: row for row in other_scales(FOX)}
    assert rows.keys() == {"kgs", "ogs", "egf"} and all(row["approximate"] for row in rows.values())
    assert rows["kgs"]["rank"] == "2k"  # two and a half stones


def test_the_axis_holds_the_interval_and_names_the_ranks() -> None:
    found = axis(replace(FOX, ends=Interval(29.0, 33.0)))
    assert (found["low"], found["high"]) == (28.0, 35.0)
    assert [tick["rank"] for tick in found["ticks"]] == ["2k", "1k", "1d", "2d", "3d", "4d", "5d"]


def test_ratings_of_a_pool_have_no_ranks() -> None:
    pool = Estimate(
        1512.0, 80.0, Interval(1410, 1614), Interval(1355, 1669), "", "pool", 300, 3, Interval(1000, 2000)
    )
    assert sentence(pool) == "has a rating of about 1512; four times in five such a player has 1410 to 1614"
    assert other_scales(pool) == [] and axis(pool)["ticks"] == []


def test_an_estimate_is_read_as_it_was_written() -> None:
    assert Estimate.from_json(FOX.to_json()) == FOX
