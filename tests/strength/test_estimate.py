"""An estimate from records: the player, the moves, the scale, and a clear error where there is nothing to use."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from strength.made_players import made_sgf  # noqa: E402

from tengen.errors import InputError  # noqa: E402
from tengen.go.color import Color  # noqa: E402
from tengen.go.game import Game  # noqa: E402
from tengen.nets.fake import FakeEvaluator  # noqa: E402
from tengen.strength.calibration import Calibration, Evidence, Interval  # noqa: E402
from tengen.strength.estimate import Estimate, choose_scale, estimate, extract, find_player, recent  # noqa: E402
from tengen.strength.export import to_onnx  # noqa: E402
from tengen.strength.features import move_features  # noqa: E402
from tengen.strength.model import StrengthCard, StrengthModel  # noqa: E402
from tengen.strength.set_transformer import SetTransformer  # noqa: E402
from tengen.strength.versus import chance_to_win  # noqa: E402
from tengen.strength.windows import inputs_of  # noqa: E402

NET = FakeEvaluator()


def tiny_model(inputs: str = "full", window: int = 500, **changes: Any) -> StrengthModel:
    """An untrained model: its numbers have no meaning, but its interface can be tested."""
    torch.manual_seed(1)
    width = {"full": 4, "basic": 6, "relative": 13}[inputs]
    net = SetTransformer(width, 11, depth=1, hidden=8, query=4, inducing=2)
    fox = Calibration(
        "s", "fake-0", "fox", 1.0, 0.0, (0.0, -0.4, 0.0), (1.3, 2.0), 25.0, 39.0, 100, Evidence()
    )
    fox = dataclasses.replace(fox, **changes)
    card = StrengthCard(
        "tiny", inputs, "ranks", "fake", "fake-0", width, 11, window, "s", calibrations={"fox": fox}
    )
    return StrengthModel(card, to_onnx(net, 11), threads=1)


@pytest.fixture(scope="module")
def model() -> StrengthModel:
    return tiny_model()


def game(black: int, white: int, number: int = 0, moves: int = 40) -> Game:
    return Game.from_sgf(made_sgf(black, white, "B", number, moves, ("5d", "5d")))


def test_the_player_in_every_file_is_found() -> None:
    name, colors = find_player([game(1, 2), game(3, 1), game(1, 4)])
    assert name == "p1" and colors == [Color.BLACK, Color.WHITE, Color.BLACK]


def test_who_is_meant_is_asked_for_when_it_is_not_clear() -> None:
    with pytest.raises(InputError, match="p1 and p2 play in every file: choose one with --player"):
        find_player([game(1, 2), game(2, 1)])
    with pytest.raises(InputError, match="p1 and p2 play in the file"):
        find_player([game(1, 2)])
    with pytest.raises(InputError, match="no player is in all"):
        find_player([game(1, 2), game(3, 4)])
    nameless = Game.from_sgf("(;SZ[19];B[aa];W[cc])")
    with pytest.raises(InputError, match="--player black or --player white"):
        find_player([nameless])
    assert find_player([nameless], "white")[1] == [Color.WHITE]
    with pytest.raises(InputError, match="p9 plays in none of the games; they name p1, p2"):
        find_player([game(1, 2)], "p9")
    assert find_player([game(1, 2)], " P2 ")[1] == [Color.WHITE]
    with pytest.raises(InputError, match="on both sides"):
        find_player([game(1, 1)], "p1")


def test_an_estimate_says_all_it_should(model: StrengthModel) -> None:
    games = [game(1, 2), game(3, 1, 1), game(1, 4, 2)]
    report = estimate(games, None, NET, model)
    whole = report.whole
    assert report.player == "p1" and whole.scale == "fox" and whole.rank.endswith(("k", "d"))
    assert (whole.moves, whole.games) == (60, 3)
    assert 25 <= whole.interval95.low <= whole.interval80.low <= whole.rating <= whole.interval80.high
    assert sum(whole.chances.values()) == pytest.approx(1)
    assert [g for g, _ in report.by_game] == [0, 1, 2]
    assert all(one.moves == 20 and one.deviation > whole.deviation for _, one in report.by_game)
    for move in (*report.raised, *report.lowered):
        played = games[move.game].moves[move.number - 1]
        assert (played.color, played.point) == (move.color, move.point)
        assert move.color is (Color.WHITE if move.game == 1 else Color.BLACK)
    assert [m.influence for m in report.raised] == sorted((m.influence for m in report.raised), reverse=True)
    assert len(report.raised) == len(report.lowered) == 5
    assert not report.notes


def test_few_moves_say_so_and_have_a_wider_interval(model: StrengthModel) -> None:
    few = estimate([game(1, 2, moves=8)], "p1", NET, model)
    many = estimate([game(1, 2, moves=80)] * 2, "p1", NET, model)
    assert "only 4 moves" in few.notes[0]
    assert few.whole.deviation > 2 * many.whole.deviation


def test_the_full_model_sees_what_the_features_hold(model: StrengthModel) -> None:
    one = game(1, 2)
    chosen, _ = recent([one], [Color.WHITE], [0], 500)
    found = extract([one], chosen, NET, model)
    assert found.tolist() == move_features(one, NET).of(Color.WHITE).trunk[::-1].astype("float32").tolist()


def test_a_relative_model_works_the_same_way() -> None:
    relative = tiny_model("relative")
    one = game(1, 2)
    chosen, _ = recent([one], [Color.BLACK], [0], 500)
    found = extract([one], chosen, NET, relative)
    wanted = inputs_of(move_features(one, NET).of(Color.BLACK), "relative")[::-1]
    assert found.shape == (20, 13) and abs(found - wanted).max() < 1e-5
    basic = tiny_model("basic")
    found = extract([one], chosen, NET, basic)
    assert found.tolist() == move_features(one, NET).of(Color.BLACK).basic[::-1].tolist()
    assert estimate([one], "p1", NET, relative).whole.moves == 20


def test_the_most_recent_moves_are_taken_by_date() -> None:
    games = [game(1, 2, 300), game(1, 3, 5), game(4, 1, 40)]  # by date: the second, the third, the first
    chosen, total = recent(games, [Color.BLACK, Color.BLACK, Color.WHITE], [0, 1, 2], 30)
    assert total == 60 and [own.game for own in chosen] == [0] * 20 + [2] * 10
    assert [own.at for own in chosen[:2]] == [38, 36]
    games[0].date = ""
    chosen, _ = recent(games, [Color.BLACK, Color.BLACK, Color.WHITE], [0, 1, 2], 30)
    assert [own.game for own in chosen] == [2] * 20 + [1] * 10  # not all are dated: the order given


def test_a_window_is_kept_and_named() -> None:
    report = estimate([game(1, 2), game(1, 3, 1)], "p1", NET, tiny_model(window=25))
    assert report.whole.moves == 25 and "the last 25 of 40 moves" in report.notes[0]


def test_what_there_is_nothing_to_say_about(model: StrengthModel) -> None:
    passes = Game.from_sgf("(;SZ[19]PB[Ann]PW[Bo];B[];W[];B[];W[])")
    with pytest.raises(InputError, match="Ann made no moves"):
        estimate([passes], "Ann", NET, model)
    small = Game.from_sgf("(;SZ[9]PB[Ann]PW[Bo];B[ee];W[ec])")
    with pytest.raises(InputError, match="Ann's games are on 9x9: the strength models are for 19x19 only"):
        estimate([small], "Ann", NET, model)
    with pytest.raises(InputError, match="reads features of fake, not of fake-1"):
        estimate([game(1, 2)], "p1", FakeEvaluator(seed=1), model)


def test_what_is_unusual_is_noted(model: StrengthModel) -> None:
    small = Game.from_sgf("(;SZ[9]PB[p1]PW[Bo];B[ee];W[ec])")
    handicap = Game.from_sgf("(;SZ[19]HA[2]AB[dd][pp]PB[p1]PW[Bo]KM[0.5];W[dp];B[pd];W[jj];B[jd])")
    report = estimate([game(1, 2), small, handicap, game(5, 6)], "p1", NET, model)
    notes = " / ".join(report.notes)
    assert "left out, on another board than 19x19: 1 game" in notes
    assert "with a handicap: 1 of 2 games" in notes
    assert "p1 does not play in 1 of the 4 games" in notes
    assert report.whole.moves == 22


def test_another_scale_is_a_rule_of_thumb_and_says_so(model: StrengthModel) -> None:
    fox = estimate([game(1, 2)], "p1", NET, model)
    kgs = estimate([game(1, 2)], "p1", NET, model, scale="kgs")
    egf = estimate([game(1, 2)], "p1", NET, model, scale="egf")
    assert not fox.whole.approximate and kgs.whole.approximate
    assert kgs.whole.rating == pytest.approx(fox.whole.rating - 2.5)
    assert egf.whole.rating == pytest.approx((kgs.whole.rating - 30) * 100 + 2050)
    assert egf.whole.deviation == pytest.approx(100 * fox.whole.deviation)
    assert "rule of thumb" in kgs.notes[-1]
    with pytest.raises(InputError, match="no scale is called 'igs'"):
        choose_scale(model, "igs")


def test_a_rank_at_the_end_of_the_scale_stands_for_all_beyond_it() -> None:
    middle = Estimate(
        31.2, 2.0, Interval(26.5, 33.0), Interval(26.5, 38.5), "2d", "fox", 9, 1, Interval(26.5, 38.5)
    )
    assert middle.words(middle.rating) == "2d" and middle.beyond(middle.rating) is None
    assert middle.range(middle.interval80) == "4k or weaker to 4d"
    assert middle.range(middle.interval95) == "4k or weaker to 9d or stronger"
    assert (
        middle.words(38.2) == "9d or stronger" and middle.words(37.9) == "8d" and middle.words(27.0) == "3k"
    )
    assert middle.range(Interval(38.1, 38.5)) == "9d or stronger"
    table = middle.to_json()
    assert table["rank"] == "2d" and table["ranks80"] == ["4k", "4d"] and table["beyond"] is None
    assert table["beyond80"] == ["weaker", None] and table["beyond95"] == ["weaker", "stronger"]


def test_where_there_are_no_ranks_the_ends_are_ratings() -> None:
    pool = Estimate(900, 9.0, Interval(900, 1200), Interval(900, 1250), "", "pool", 9, 1, Interval(900, 2000))
    assert (
        pool.words(pool.rating) == "900 or weaker" and pool.range(pool.interval80) == "900 or weaker to 1200"
    )


def test_the_ends_move_with_the_scale(model: StrengthModel) -> None:
    fox = estimate([game(1, 2)], "p1", NET, model).whole.ends
    kgs = estimate([game(1, 2)], "p1", NET, model, scale="kgs").whole.ends
    assert kgs == pytest.approx((fox.low - 2.5, fox.high - 2.5))


def test_a_misspelt_player_is_found() -> None:
    named = Game.from_sgf("(;SZ[19]PB[Shusaku]PW[Jowa];B[aa];W[cc])")
    with pytest.raises(InputError, match=r"shusako plays in none of the games; did you mean 'Shusaku'\?"):
        find_player([named], "shusako")


def test_the_stronger_wins_and_doubt_pulls_to_the_middle(model: StrengthModel) -> None:
    from dataclasses import replace

    one = estimate([game(1, 2)], "p1", NET, model).whole
    sure = replace(one, rating=32.0, deviation=0.3)
    better = replace(one, rating=35.0, deviation=0.3)
    doubtful = replace(one, rating=35.0, deviation=4.0)
    assert chance_to_win(sure, sure) == pytest.approx(0.5)
    assert chance_to_win(better, sure) > chance_to_win(doubtful, sure) > 0.5
    assert chance_to_win(sure, better) == pytest.approx(1 - chance_to_win(better, sure))


def test_a_game_that_is_there_twice_counts_once(model: StrengthModel) -> None:
    games = [game(1, 2), game(3, 1, 1)]
    once, twice = estimate(games, None, NET, model), estimate([*games, *games[:1] * 5], None, NET, model)
    assert once.whole == twice.whole
    assert any("there twice, and counted once: 5 games" in note for note in twice.notes)


def test_more_moves_than_the_intervals_were_tested_with_make_nothing_surer() -> None:
    games = [game(1, 2), game(3, 1, 1), game(1, 4, 2), game(5, 1, 3)]
    capped = tiny_model(evidence=Evidence(0.0, 1.0, most=20.0))
    report = estimate(games, None, NET, capped)
    assert any("tested with up to 20 moves" in note for note in report.notes)
    by_game = [one for _, one in report.by_game]
    assert report.whole.deviation == pytest.approx(by_game[0].deviation, rel=0.3)
    assert (
        max(report.whole.chances.values()) < 0.5
    )  # an untrained model of 80 moves must not be sure of itself
