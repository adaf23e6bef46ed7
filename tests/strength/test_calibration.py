"""Lines, widths and factors for invented players whose true ratings are known."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest

from tengen.errors import InputError
from tengen.strength.calibration import (
    Calibration,
    Evidence,
    coverage,
    fit_calibration,
    fit_evidence,
    fit_line,
    fit_width,
)


def made(n: int, seed: int) -> tuple[np.ndarray, ...]:
    """Players whose estimates have a normal error that shrinks with the root of the number of moves."""
    rng = np.random.default_rng(seed)
    truth = rng.uniform(25, 39, n)
    truth[:2] = 25, 39  # the ends are known, as they are of rank groups
    moves = np.exp(rng.uniform(np.log(10), np.log(2000), n)).round()
    raw = (truth + rng.normal(0, 10 / np.sqrt(moves)) - 3) / 2
    return raw, truth, moves, np.ones(n)


def fitted(n: int = 2000) -> Calibration:
    return fit_calibration(*made(n, 0), model_sha256="m", net_sha256="n", scale="fox")


def test_the_line_of_least_squares() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    y = 334.03 * x + 1595.1 + rng.normal(0, 5, 200)
    slope, offset = fit_line(x, y)
    assert (slope, offset) == pytest.approx(np.polyfit(x, y, 1))
    with pytest.raises(InputError, match="the same"):
        fit_line(np.ones(3), np.arange(3.0))


def test_intervals_hold_what_they_promise_on_players_they_have_not_seen() -> None:
    calibration = fitted()
    inside = coverage(calibration, *made(4000, 1))
    assert inside == pytest.approx((0.80, 0.95), abs=0.02)
    raw, truth, moves, spread = made(4000, 2)
    for few_or_many in (moves < 60, moves > 600):  # not only on average
        part = [a[few_or_many] for a in (raw, truth, moves, spread)]
        assert coverage(calibration, *part) == pytest.approx((0.80, 0.95), abs=0.05)


def test_a_few_short_windows_do_not_decide_for_all_others() -> None:
    """As in a draft: nearly all windows are full; the errors of three short ones are large."""
    _, truth, _, spread = made(2000, 3)
    moves = np.full(2000, 500.0)
    raw = (truth + np.random.default_rng(4).normal(0, 0.5, 2000) - 3) / 2
    moves[:3], raw[:3] = 10, raw[:3] + 3
    names = {"model_sha256": "m", "net_sha256": "n", "scale": "glicko2"}
    draft = fit_calibration(raw, truth, moves, spread, **names, balanced=False)
    assert coverage(draft, raw, truth, moves, spread) == pytest.approx((0.80, 0.95), abs=0.01)


def test_few_players_do_not_make_it_overconfident() -> None:
    inside = []
    for seed in range(30):
        small = fit_calibration(*made(40, 100 + seed), model_sha256="m", net_sha256="n", scale="fox")
        inside.append(coverage(small, *made(400, 200 + seed)))
    assert np.mean(inside, axis=0) == pytest.approx((0.80, 0.95), abs=0.025)


def test_more_moves_narrow_the_interval_and_few_widen_it() -> None:
    calibration = fitted()
    widths = [
        interval.high - interval.low
        for moves in (10, 100, 1000)
        for interval in calibration.intervals(32.0, moves, 1.0)[:1]
    ]
    assert widths[0] > 2 * widths[1] > 4 * widths[2]
    inner, outer = calibration.intervals(32.0, 100, 1.0)
    assert outer.low < inner.low < 32 < inner.high < outer.high


def test_an_interval_stays_in_the_range_that_was_seen() -> None:
    calibration = fitted()
    assert calibration.intervals(38.9, 10, 1.0)[1].high <= calibration.high
    assert calibration.intervals(25.1, 10, 1.0)[1].low >= calibration.low


def test_more_moves_are_never_taken_for_a_wider_miss() -> None:
    moves = np.linspace(10, 1000, 200)
    _, by_moves, by_spread = fit_width(moves / 100, moves, np.ones(200), np.ones(200))
    assert by_moves == 0 and by_spread == 0


@pytest.mark.parametrize("truth", [Evidence(-0.5, 0.3), Evidence(0.2, 0.6, enough=200.0)])
def test_how_much_moves_tell_is_found_again(truth: Evidence) -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(0, 3, (6000, 11))
    moves = np.exp(rng.uniform(np.log(20), np.log(2000), 6000))
    group = np.array([rng.choice(11, p=p) for p in truth.chances(logits, moves)])
    found = fit_evidence(logits, moves, group)
    for n in (20.0, 100.0, 500.0, 1900.0):
        there, here = truth.sharpening(np.array([n]))[0], found.sharpening(np.array([n]))[0]
        assert here == pytest.approx(there, rel=0.12)


def test_moves_tell_less_and_less_and_nothing_beyond_what_was_seen() -> None:
    evidence = Evidence(0.0, 1.0, enough=300.0, most=1500.0)
    sharp = evidence.sharpening(np.array([50.0, 100.0, 700.0, 750.0, 1500.0, 9000.0]))
    assert sharp[1] - sharp[0] > 5 * (sharp[3] - sharp[2]) > 0
    assert sharp[5] == sharp[4]


def test_many_short_samples_do_not_outvote_the_long_ones() -> None:
    """Players who differ from their rank by about a stone, for any number of moves: only long samples show it."""
    rng = np.random.default_rng(4)
    moves = np.concatenate([np.full(5000, 100.0), np.full(300, 2000.0)])
    truth = rng.uniform(25, 39, len(moves))
    truth[:2] = 25, 39
    raw = truth + rng.normal(0, np.sqrt(1 + 100 / moves))
    evidence = Evidence(enough=200.0)
    found = fit_calibration(
        raw, truth, moves, np.ones(len(raw)), model_sha256="m", net_sha256="n", scale="fox", evidence=evidence
    )
    for size in (100.0, 2000.0):
        some = moves == size
        inside = coverage(found, raw[some], truth[some], moves[some], np.ones(some.sum()))
        assert inside == pytest.approx((0.80, 0.95), abs=0.05)


def test_a_calibration_is_refused_for_another_model_or_net() -> None:
    calibration = fitted(100)
    calibration.check("m", "n", "the net")
    with pytest.raises(InputError, match="another strength model"):
        calibration.check("other", "n", "the net")
    with pytest.raises(InputError, match="another net"):
        calibration.check("m", "other", "the net")


def test_a_calibration_survives_its_table_and_a_broken_one_is_refused() -> None:
    calibration = fitted(100)
    table = asdict(calibration)
    assert Calibration.from_table(table, "card") == calibration
    for key, value in (("width", [1.0]), ("slope", float("nan")), ("factors", "ab"), ("extra", 1)):
        with pytest.raises(InputError, match="not a calibration"):
            Calibration.from_table(table | {key: value}, "card")


def test_a_handful_of_players_is_no_calibration() -> None:
    with pytest.raises(InputError, match="at least 20"):
        fit_calibration(*made(10, 0), model_sha256="m", net_sha256="n", scale="fox")


def test_the_deviation_is_that_of_a_normal_of_the_same_80_percent() -> None:
    calibration = replace(fitted(100), width=(0.0, 0.0, 0.0), factors=(1.2815515655446004, 2.0))
    assert calibration.deviation(100, 1.0) == pytest.approx(1.0)
