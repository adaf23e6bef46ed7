"""The preparation of Section 4.1.1 on games made for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tengen.errors import InputError
from tengen.games.importing import read_games
from tengen.games.store import GameStore
from tengen.go.color import Color
from tengen.nets.card import ModelCard
from tengen.nets.fake import FakeEvaluator
from tengen.progress import Progress
from tengen.ratings.glicko2 import Glicko2
from tengen.ratings.results import Results
from tengen.strength.draft import AHEAD, Draft, draw_sets, judge_by, prepare, rating_labels

SIZES = {"T": 20, "V": 10, "E": 10, "X": 5}


def record(number: int, moves: int = 60, passes: str = "", **root: str) -> str:
    """A game in which Black fills the top and White the bottom; `number` makes it another one."""
    facts = {"SZ": "19", "PB": "a", "PW": "b", "RE": "B+R", "KM": "6.5", "DT": "2020-01-01"} | root
    size = int(facts["SZ"])
    body = []
    for i in range(moves):
        x, y = (i // 2 + number) % size, i // 2 // size
        point = chr(97 + x) + chr(97 + (size - 1 - y if i % 2 else y))
        body.append(f";{'BW'[i % 2]}[{'' if str(i + 1) == passes else point}]")
    return "(;" + "".join(f"{k}[{v}]" for k, v in facts.items()) + "".join(body) + ")"


def store_of(tmp_path: Path, records: list[str]) -> GameStore:
    path = tmp_path / "games.sgfs"
    path.write_text("\n".join(records))
    frame, rejects, _ = read_games([path])
    assert not len(rejects), rejects
    return GameStore(frame)


def pool_records(games: int = 160, seed: int = 0) -> list[str]:
    """Eight players, the first the strongest; the stronger mostly wins."""
    rng = np.random.default_rng(seed)
    records = []
    for i in range(games):
        b, w = rng.choice(8, 2, replace=False)
        black_wins = (b < w) != (rng.random() < 0.2)
        facts = {"PB": f"p{b}", "PW": f"p{w}", "DT": f"2020-{1 + i // 28:02}-{1 + i % 28:02}"}
        records.append(
            record(i, 60 + i // 19, **facts, RE=f"{'B' if black_wins else 'W'}+{'R' if i % 3 else '4.5'}")
        )
    return records


def test_each_filter_takes_out_its_game_and_is_counted(tmp_path: Path) -> None:
    bad = [
        record(1, SZ="13", moves=40),
        record(2, HA="2", AB="dj][pj"),
        record(3, TM="0", OT="5x5 byo-yomi"),
        record(4, moves=19),
        record(5, GN="unranked game"),
        record(6, RE="B+F"),
        record(7, RE="Void"),
        record(8, passes="49"),
    ]
    fine = [record(9, passes="50"), record(10, TM="600"), record(11, HA="0"), *pool_records()]
    draft = prepare(store_of(tmp_path, [*bad, *fine]), sizes=dict.fromkeys("TVEX", 5))
    assert {step.what: step.left_out for step in draft.steps} == {
        "games in the pool": 0,
        "not on a 19x19 board": 1,
        "handicap stones": 1,
        "five seconds a move or less": 1,
        "fewer than 20 moves": 1,
        "not ranked": 1,
        "not decided by counting, resignation or time": 2,
        "a pass before move 50": 1,
    }
    assert draft.steps[-1].left == len(fine) == len(draft.results)


def test_the_net_overwrites_results_that_were_not_counted(tmp_path: Path) -> None:
    records = [
        *pool_records(),
        record(1, RE="B+R", PB="x"),
        record(2, RE="W+T", PB="y"),
        record(3, RE="B+R", PB="z"),
    ]
    store = store_of(tmp_path, records)
    says = {"x": 0.1, "y": 0.39, "z": 0.41}
    asked: list[str] = []

    def judge(games: GameStore) -> np.ndarray:
        asked.extend(games.frame["result"].to_list())
        black = games.frame["black"].to_list()
        wins = games.frame["winner"].to_list()
        return np.array([says.get(b, 1.0 if w == "B" else 0.0) for b, w in zip(black, wins, strict=True)])

    draft = prepare(store, judge, dict.fromkeys("TVEX", 5))
    assert set(asked) == {"resign", "time"}, "counted games stand"
    names = draft.results.players
    scores = {
        names[b]: s for b, s in zip(draft.results.black, draft.results.score, strict=True) if names[b] in says
    }
    assert scores == {"x": 0.0, "y": 0.0}, "z: less than 60 % sure"
    steps = {step.what: step for step in draft.steps}
    assert steps["the net less than 60% sure of the winner"].left_out == 1
    assert "(the net names another winner in 1 games)" in steps


def test_a_net_is_asked_for_the_last_position_of_each_game(tmp_path: Path) -> None:
    store = store_of(tmp_path, pool_records(10))
    net = FakeEvaluator()
    done: list[Progress] = []
    chance = judge_by(net, done.append, batch=4)(store)
    expected = [net.evaluate([game.position()])[0].win.of(Color.BLACK) for game in store]
    assert chance.tolist() == expected
    assert done == [Progress("judging", games, 10) for games in (4, 8, 10)]


def test_labels_are_the_ratings_ten_games_on_or_the_last() -> None:
    rng = np.random.default_rng(3)
    rows = [
        (f"p{b}", f"p{(b + d) % 5}", float(s))
        for b, d, s in zip(
            rng.integers(0, 5, 80), rng.integers(1, 5, 80), rng.integers(0, 2, 80), strict=True
        )
    ]
    ratings = Glicko2().rate(Results.of(rows))
    labels = rating_labels(ratings)
    for name in ratings.results.players:
        curve = ratings.curve(name).number
        history = ratings.results.history(ratings.results.number(name))
        for i, (game, side) in enumerate(zip(history.games, history.side, strict=True)):
            assert labels[game, side] == curve[min(i + AHEAD, len(curve) - 1)]


def test_the_sets_are_what_the_thesis_says(tmp_path: Path) -> None:
    draft = prepare(store_of(tmp_path, pool_records()), sizes=SIZES)
    pool = draft.results
    assert {name: len(draft.games(name)) for name in SIZES} == SIZES
    training, exhibition = draft.games("T"), draft.games("X")
    higher = draft.labels[training, 0] > draft.labels[training, 1]
    assert np.array_equal(higher, pool.score[training] == 1)
    later = pool.games_of_players[pool.sides[training]] - pool.earlier_games[training] - 1
    assert later.min() >= AHEAD
    assert pool.earlier_games[exhibition].max() <= 4
    normal = draft.normalised()[training]
    assert normal.mean() == pytest.approx(0)
    assert normal.std(ddof=1) == pytest.approx(1)


def test_another_seed_draws_other_sets() -> None:
    rows = [(f"p{i % 7}", f"p{(i + 1 + i // 7 % 5) % 7}", float(i % 2)) for i in range(300)]
    pool = Results.of(rows)
    labels = rating_labels(Glicko2().rate(pool))
    one, again, other = (draw_sets(pool, labels, SIZES, seed) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_a_larger_draft_keeps_the_games_of_a_smaller_one() -> None:
    rows = [(f"p{i % 7}", f"p{(i + 1 + i // 7 % 5) % 7}", float(i % 2)) for i in range(300)]
    pool = Results.of(rows)
    labels = rating_labels(Glicko2().rate(pool))
    small, large = (draw_sets(pool, labels, SIZES | {"T": count}) for count in (SIZES["T"], 3 * SIZES["T"]))
    assert np.all(large[small == "T"] == "T")
    assert np.array_equal(small == "E", large == "E")


def test_a_draft_is_what_was_written(tmp_path: Path) -> None:
    store = store_of(tmp_path, [record(99, SZ="9", moves=30), *pool_records()])
    draft = prepare(store, sizes=SIZES, seed=5)
    draft.write(tmp_path / "draft.parquet")
    back = Draft.open(tmp_path / "draft.parquet")
    assert (back.ids, back.mean, back.deviation, back.steps, back.seed) == (
        draft.ids,
        draft.mean,
        draft.deviation,
        draft.steps,
        5,
    )
    assert back.results.players == draft.results.players
    for name in ("black", "white", "score", "time", "head_start", "row"):
        np.testing.assert_array_equal(getattr(back.results, name), getattr(draft.results, name))
    np.testing.assert_array_equal(back.labels, draft.labels)
    np.testing.assert_array_equal(back.sets, draft.sets)
    assert store.frame["id"].gather(back.results.row).to_list() == back.ids


def test_sets_that_cannot_be_filled_and_files_that_are_no_drafts_are_refused(tmp_path: Path) -> None:
    store = store_of(tmp_path, pool_records(30))
    with pytest.raises(InputError, match=r"set V needs 5,000 games, but only 30"):
        prepare(store)
    with pytest.raises(InputError, match="no game of the pool is left"):
        prepare(store.filter(pl.col("size") == 9))
    with pytest.raises(InputError, match="no such draft"):
        Draft.open(tmp_path / "nothing.parquet")
    store.write(tmp_path / "pool.parquet")
    with pytest.raises(InputError, match="not a draft"):
        Draft.open(tmp_path / "pool.parquet")


def test_a_net_that_only_predicts_moves_cannot_judge() -> None:
    net = FakeEvaluator()
    net.card = ModelCard("plain", "policy", "golois39", (19,), heads=("policy",))
    with pytest.raises(InputError, match=r"net plain has no win rates \(win_by_komi\)"):
        judge_by(net)
