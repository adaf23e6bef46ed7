"""Tables 4 and 5 and section IV.E of the CGI paper, with a net that knows no Go: they play, go on, print and refuse."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tengen import Color, Game, InputError, Move, Position, Rules
from tengen.engine.contestant import OwnContestant
from tengen.engine.match import Match
from tengen.engine.outcome import Outcome as Ended
from tengen.engine.significance import Difference
from tengen.engine.terms import Terms
from tengen.games.store import GameStore
from tengen.go.handicap import fixed_handicap
from tengen.go.perspective import WinRate
from tengen.go.result import Result
from tengen.nets.fake import FakeEvaluator
from tengen.papers import cgi_section4e, reproduction
from tengen.papers.cells import Cell, play_cells
from tengen.papers.cgi_section4e import AtOneKomi, make_program, pair_rows, won_by_half
from tengen.papers.komi_matches import METHODS, Column, Played, handicap_columns
from tengen.papers.komi_tables import is_alike, is_better, together
from tengen.papers.reproduction import Outcome, Request
from tengen.progress import Progress

QUICK: dict[str, Any] = {
    "net": "fake",
    "size": 7,
    "visits": 4,
    "opponent_visits": 2,
    "games": 2,
    "openings": 8,
    "opening_moves": 2,
    "concurrency": 1,
}


def reproduce(name: str, work: Path, pool: Path | None = None, **settings: Any) -> Outcome:
    found = reproduction.find(name)
    assert settings.keys() <= found.settings.keys()
    return found.run(Request(work, None, pool, settings, work))


def games_in(work: Path, match: str) -> list[Path]:
    """The games of the one match that this pattern names."""
    (folder,) = work.glob(match)
    return sorted(folder.glob("games/*.sgf"))


def ours(outcome: Outcome) -> dict[str, tuple[str, str]]:
    return {row.what: (row.published, row.ours) for row in outcome.rows}


# The matches.


def test_table_5_has_all_methods_in_all_columns_and_goes_on(tmp_path: Path) -> None:
    settings = QUICK | {"handicaps": "1,2", "games": 1}
    outcome = reproduce("cgi-table5", tmp_path, **settings)
    rows = ours(outcome)
    assert [what for what in rows if what.startswith("H2")] == [
        f"H2, {method.title}" for name, method in METHODS.items() if name != "score"
    ]
    assert rows["H2, ML-DK"][0] == "57.2 ± 6.15 %"
    assert rows["H1, no dynamic komi"][0] == "74.0 ± 5.45 %"
    assert "of 1; less none" in rows["H1, ML-DK"][1]
    assert rows["H1, weaker opponent (ours)"][0] == ""
    (results,) = tmp_path.glob("cgi-table5/7x7-*/H2/ml-dk/results.jsonl")
    played = results.read_text()
    assert (reproduce("cgi-table5", tmp_path, **settings), results.read_text()) == (outcome, played)


def test_we_are_white_with_the_stones_against_us_at_komi_one_half(tmp_path: Path) -> None:
    reproduce("cgi-table5", tmp_path, **QUICK | {"handicaps": "1,3", "methods": "none"})
    for stones in (1, 3):
        for path in games_in(tmp_path, f"cgi-table5/*/H{stones}/none"):
            game = Game.from_sgf(path)
            assert (game.white, game.black, game.komi) == ("none", "opponent", 0.5)
            assert sorted(game.setup.black) == (sorted(fixed_handicap(7, 3)) if stones == 3 else [])
            assert game.moves[0].color is (Color.WHITE if stones == 3 else Color.BLACK)
            assert game.position().handicap_bonus == 0


def test_all_methods_play_the_same_openings(tmp_path: Path) -> None:
    reproduce("cgi-table5", tmp_path, **QUICK | {"handicaps": "2", "methods": "vs-m,ml-dk", "games": 3})
    openings = {}
    for method in ("none", "vs-m", "ml-dk"):
        paths = games_in(tmp_path, f"cgi-table5/*/H2/{method}")
        openings[method] = [tuple(Game.from_sgf(path).moves[:2]) for path in paths]
    assert openings["none"] == openings["vs-m"] == openings["ml-dk"]
    assert len(set(openings["none"])) == 3


def test_table_4_alternates_colours_at_the_usual_komi(tmp_path: Path) -> None:
    outcome = reproduce("cgi-table4", tmp_path, **QUICK | {"methods": "none,ml-dk"})
    assert ours(outcome)["even, ML-DK"][0] == "83.2 ± 4.64 %"
    games = [Game.from_sgf(path) for path in games_in(tmp_path, "cgi-table4/*/even/ml-dk")]
    assert [game.black for game in games] == ["ml-dk", "opponent"]
    assert games[0].moves[:2] == games[1].moves[:2] and games[0].komi == 7.5
    five = reproduce("cgi-table5", tmp_path, **QUICK | {"handicaps": "1", "methods": "none,ml-dk,ss-r"})
    assert not any("with the even games" in note for note in five.notes)  # SS-R was not played there
    reproduce("cgi-table4", tmp_path, **QUICK | {"methods": "none,ml-dk,ss-r"})
    five = reproduce("cgi-table5", tmp_path, **QUICK | {"handicaps": "1", "methods": "none,ml-dk,ss-r"})
    assert any("ML-DK less SS-R, 4 games of each with the even games" in note for note in five.notes)


def test_other_settings_are_kept_apart_and_more_games_are_not(tmp_path: Path) -> None:
    settings = QUICK | {"handicaps": "1", "methods": "none"}
    for changes in ({}, {"games": 3, "methods": "none,ml-dk"}, {"visits": 5}):
        reproduce("cgi-table5", tmp_path, **settings | changes)
    folders = [path.parent for path in tmp_path.glob("cgi-table5/*/settings.json")]
    played = {folder: sorted(path.name for path in (folder / "H1").iterdir()) for folder in folders}
    assert sorted(played.values()) == [["ml-dk", "none"], ["none"]]
    assert {json.loads((folder / "settings.json").read_text())["visits"] for folder in folders} == {4, 5}


def test_any_opponent_and_a_pool_of_openings(tmp_path: Path) -> None:
    moves = [Move(Color.BLACK, 24), Move(Color.WHITE, 10), Move(Color.BLACK, 38)]
    GameStore.from_games([Game(size=7, moves=moves)]).write(tmp_path / "pool.parquet")
    settings = QUICK | {"opponent": "policy:net=fake,name=golois", "methods": "none", "opening_moves": 3}
    outcome = reproduce("cgi-table4", tmp_path, tmp_path / "pool.parquet", **settings)
    game = Game.from_sgf(games_in(tmp_path, "cgi-table4/*/even/none")[0])
    assert game.white == "golois" and game.moves[:3] == moves
    assert "against policy:net=fake,name=golois; openings of 3 moves from" in outcome.notes[0]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"net": ""}, "no nets are given: --set policy=FOLDER --set value=FOLDER, or --set net=NAME"),
        ({"net": "", "policy": "fake"}, "no nets are given"),
        ({"methods": "none,ml"}, "there is no method 'ml'"),
        ({"handicaps": "two"}, "handicaps are numbers of stones"),
        ({"handicaps": "0,1"}, "handicaps are numbers of stones"),
        ({"handicaps": "5"}, "no fixed handicap of 5 stones on 7x7"),
        ({"methods": "ss-r", "rollouts": 0, "weight": 0.5}, "komi method ss-r needs rollouts"),
        ({"games": 0}, "must be 1 or more"),
        ({"opponent": "no-such-program"}, "no-such-program"),
    ],
)
def test_what_is_refused(settings: dict[str, Any], reason: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=reason):
        reproduce("cgi-table5", tmp_path, **QUICK | settings)


def test_columns_are_named_by_their_stones() -> None:
    assert handicap_columns("1,4") == [Column("H1", 1, 0.5), Column("H4", 4, 0.5)]


# What is concluded.


def played(**points: list[float]) -> Played:
    """A table with one column and these points of each method, game by game."""

    class Kept(Match):
        def __init__(self, points: list[float]) -> None:
            results = {1.0: "W+R", 0.0: "B+R", 0.5: "0"}
            self.outcomes = {n: Ended(n, 1, results[p], 50, (0.0, 0.0)) for n, p in enumerate(points)}

    matches = {("H1", name.replace("_", "-")): Kept(each) for name, each in points.items()}
    return Played(matches, [Column("H1", 1, 0.5)], [method for _, method in matches], 9, "opponent")


def test_methods_are_compared_game_by_game() -> None:
    table = played(none=[1, 0, 0, 1], ml_dk=[1, 1, 0, 0.5, 1])  # the fifth game was played by one only
    found = table.difference("ml-dk", "none")
    assert found is not None
    assert (found.mean, found.pairs) == (0.125, 4)
    assert table.difference("ml-dk", "ss-r") is None
    assert table.difference("ml-dk", "none", ["H2"]) is None


def test_a_finding_holds_does_not_hold_or_is_not_decided() -> None:
    up, down, level = Difference(0.2, 0.5, 300), Difference(-0.2, 0.5, 300), Difference(0.0, 0.5, 300)
    verdicts = [is_better("A", [found])[0].split(" (")[0] for found in (up, down, level)]
    assert verdicts == ["A: holds", "A: does not hold", "A: not decided"]
    assert is_better("A", [up, level])[0].startswith("A: not decided")
    assert is_better("A", [up, down])[0].startswith("A: does not hold")
    assert is_better("A", [up, None]) == []
    alike = Difference(0.001, 0.5, 3000)
    verdicts = [is_alike("A", found)[0].split("points): ")[1].split(" (")[0] for found in (alike, up, level)]
    assert verdicts == ["holds", "does not hold", "not decided"]


def test_differences_of_two_tables_are_joined() -> None:
    one, two = played(none=[0, 0, 1], ss_r=[1, 0, 1]), played(none=[1, 0], ss_r=[0, 0])
    both = together(one, two, "ss-r", "none")
    expected = Difference.of([1, 0, 1, 0, 0], [0, 0, 1, 1, 0])
    assert both is not None
    assert (both.mean, both.deviation, both.pairs) == pytest.approx(
        (expected.mean, expected.deviation, expected.pairs)
    )


# Matches in processes.


def cell(tmp_path: Path, name: str, second: str = "policy:net=fake", games: int = 2) -> Cell:
    terms = Terms(size=5, opening_moves=0)
    return Cell(name, ("puct:net=fake,visits=4", second), terms, tmp_path / name, games)


def test_matches_in_processes_are_the_same_as_in_one(tmp_path: Path) -> None:
    reports: list[Progress] = []
    names = ("a", "b", "c")
    here = play_cells([cell(tmp_path / "here", name) for name in names], 1, reports.append)
    assert reports[-1].done == reports[-1].total == 6
    there = play_cells([cell(tmp_path / "there", name) for name in names], 2, reports.append)
    for one, other in zip(here, there, strict=True):
        assert [(o.number, o.result, o.moves) for o in one.outcomes.values()] == [
            (o.number, o.result, o.moves) for o in other.outcomes.values()
        ]


def test_a_process_that_fails_ends_the_others_and_says_why(tmp_path: Path) -> None:
    stillborn = f"{sys.executable} -c 'import sys; sys.exit(\"no such option\")'"
    cells = [cell(tmp_path, "bad", stillborn), cell(tmp_path, "long", games=100_000)]
    began = time.monotonic()
    with pytest.raises(InputError, match=r"bad: .*the program ended at once, twice: .*no such option"):
        play_cells(cells, 2, lambda progress: None)
    assert time.monotonic() - began < 60


def test_ctrl_c_keeps_the_games_and_leaves_no_process_behind(tmp_path: Path) -> None:
    arguments = [f"{key}={value}" for key, value in (QUICK | {"games": 5000, "concurrency": 2}).items()]
    command = [sys.executable, "-m", "tengen", "reproduce", "cgi-table5"]
    process = subprocess.Popen(
        [*command, *(word for each in arguments for word in ("--set", each))],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )

    def kept() -> list[Path]:
        return sorted(tmp_path.glob("out/reproduce/cgi-table5/*/H1/*/results.jsonl"))

    wait_until(lambda: len(kept()) == 2 and all(path.stat().st_size for path in kept()))
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in errors
    wait_until(lambda: not is_there(process.pid))
    for path in kept():
        assert all(json.loads(line)["failure"] is None for line in path.read_text().splitlines())


def is_there(group: int) -> bool:
    """Whether a process of the group is running."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 90
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


# Section IV.E.


def endings(path: Path, results: list[str], komi: float = 6.5) -> Path:
    """Games of forty moves, each different, with these results."""
    games = []
    for number, result in enumerate(results):
        position, game = Position(7), Game(size=7, rules=Rules.named("chinese").with_komi(komi))
        random = np.random.default_rng(number)
        for _ in range(30):
            move = int(random.choice([m for m in position.legal_moves if m != position.pass_]))
            game.moves.append(Move(position.to_move, move))
            position.play(move)
        game.result = Result.parse(result)
        games.append(game)
    GameStore.from_games(games).write(path)
    return path


def test_only_games_that_black_won_by_half_a_point_at_this_komi(tmp_path: Path) -> None:
    pool = endings(tmp_path / "pool.parquet", ["B+0.5", "B+1.5", "W+0.5", "B+R", "B+0.5"])
    found = won_by_half(pool, 7, 6.5)
    assert len(found) == 2
    with pytest.raises(InputError, match=r"no even game on 7x7 that ended B\+0.5 at komi 7.5"):
        won_by_half(pool, 7, 7.5)
    with pytest.raises(InputError, match="no even game on 9x9"):
        won_by_half(pool, 9, 6.5)


def test_each_ending_is_played_with_both_colours_by_all_programs(tmp_path: Path) -> None:
    pool = endings(tmp_path / "pool.parquet", ["B+0.5"] * 3)
    settings = {"net": "fake", "size": 7, "visits": 4, "pairs": 2, "concurrency": 1}
    outcome = reproduce("cgi-section4e", tmp_path, pool, **settings)
    assert [row.what.strip() for row in outcome.rows] == [
        "v_6.5 against v_7.5",
        "pairs won with both colours",
        "v_6.5 against v_7.5 with rollouts at 6.5",
        "pairs won with both colours",
    ]
    assert outcome.rows[0].published == "51.52 ± 1.22 %"
    assert outcome.rows[1].published == "80 more of 2,630"
    games = [Game.from_sgf(path) for path in games_in(tmp_path, "cgi-section4e/*/other")]
    assert [game.black for game in games] == ["own", "other", "own", "other"]
    assert [game.komi for game in games] == [6.5] * 4
    store = GameStore.open(pool)
    for pair in (games[:2], games[2:]):
        assert pair[0].moves[:20] == pair[1].moves[:20]
        assert pair[0].moves[:20] in [game.moves[:20] for game in store]
    again = reproduce("cgi-section4e", tmp_path, pool, **settings)
    assert again == outcome


def test_without_rollouts_there_is_no_third_program(tmp_path: Path) -> None:
    pool = endings(tmp_path / "pool.parquet", ["B+0.5"])
    settings = {"net": "fake", "size": 7, "visits": 4, "pairs": 2, "rollouts": 0, "concurrency": 1}
    outcome = reproduce("cgi-section4e", tmp_path, pool, **settings)
    assert len(outcome.rows) == 2
    assert "each was played 2.0 times" in outcome.notes[-1]


def test_the_programs_differ_in_the_komi_of_net_and_rollouts() -> None:
    """The search of each program as it sees the same game at 6.5."""
    settings = cgi_section4e.SETTINGS | {"visits": 30, "rollouts": 4}
    game = Game(size=7, rules=Rules.named("chinese").with_komi(6.5))
    seen = {}
    for kind in ("own", "other", "mixed"):
        side = make_program(cgi_section4e.program(settings, "fake", kind), lambda line: None)
        assert isinstance(side, OwnContestant)
        side.begin(game, 1)
        seen[kind] = side.player.choose(game).root
    assert [seen[kind].searched.komi for kind in seen] == [6.5, 7.5, 6.5]
    labels = {kind: np.asarray(root.komi_labels) for kind, root in seen.items()}
    net = {kind: np.asarray(root.net_win_by_komi) for kind, root in seen.items()}
    rolled = {kind: np.asarray(root.rollout_win_by_komi) for kind, root in seen.items()}
    assert np.ptp(net["own"]) > 0.1 and np.ptp(rolled["mixed"]) > 0.1
    assert np.ptp(net["mixed"]) < 1e-6  # the net knows one komi, its rollouts all
    assert 6.5 in labels["mixed"] and 7.5 in labels["other"]


def test_a_net_at_one_komi_says_what_it_says_there() -> None:
    position = Position(7, Rules.named("chinese").with_komi(6.5))
    net = FakeEvaluator()
    (at_other,) = AtOneKomi(net, 7.5).evaluate([position], komi_labels=[0.5, 6.5, 20.5])
    (own,) = net.evaluate([position], komi_labels=[7.5])
    assert at_other.win_by_komi == pytest.approx([own.win_by_komi[0]] * 3)  # type: ignore[index]
    assert at_other.lead is not None and own.lead is not None
    assert at_other.lead.of(Color.BLACK) == pytest.approx(own.lead.of(Color.BLACK))
    assert isinstance(at_other.win, WinRate)


def test_pairs_are_counted_as_pairs() -> None:
    """Four pairs: two won with both colours, one lost, one halved; and a game whose pair is not there yet."""

    class Kept(Match):
        def __init__(self, wins: list[int]) -> None:
            self.outcomes = {
                n: Ended(n, n % 2, "B+R" if won == (n % 2 == 0) else "W+R", 20, (0.0, 0.0))
                for n, won in enumerate(wins)
            }

    rate, both = pair_rows("title", Kept([1, 1, 1, 1, 0, 0, 0, 1, 1]))
    assert rate.ours.startswith("62.50% (") and "of 4 pairs" in rate.ours
    assert both.ours == "+1 (2 against 1) of 4"
