"""Matches: every game kept, failures recorded, resumed where they stopped."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tengen import Game, InputError
from tengen.engine import contestant
from tengen.engine.match import Match, Outcome, Terms
from tengen.engine.significance import Sprt
from tengen.files import Claim
from tengen.games.importing import import_games

TERMS = Terms(size=5, komi=7.5)
ENGINE = "puct:net=fake,visits=8"


def points(match: Match) -> list[float | None]:
    return [match.outcomes[n].points for n in sorted(match.outcomes)]


def test_colours_alternate_and_every_game_is_kept(tmp_path: Path) -> None:
    match = Match((ENGINE, "policy:net=fake"), TERMS, tmp_path)
    assert len(list(match.play(4))) == 4
    assert [match.outcomes[n].black for n in range(4)] == [0, 1, 0, 1]
    for n in range(4):
        game = Game.from_sgf(tmp_path / "games" / f"{n + 1:04}.sgf")
        assert game.black == (ENGINE if n % 2 == 0 else "policy:net=fake")
        assert str(game.result) == match.outcomes[n].result
        assert len(game.moves) == match.outcomes[n].moves
        assert (tmp_path / "games" / f"{n + 1:04}.log").stat().st_size > 0
    assert match.tally.games == 4


def test_a_stopped_match_goes_on(tmp_path: Path) -> None:
    for outcome in Match((ENGINE, ENGINE), TERMS, tmp_path).play(6):
        if outcome.number == 1:
            break
    with (tmp_path / "results.jsonl").open("a") as results:
        results.write('{"number": 2, "bl')  # cut short by a crash
    again = Match((ENGINE, ENGINE), TERMS, tmp_path)
    assert sorted(again.outcomes) == [0, 1]
    assert sorted(o.number for o in again.play(4)) == [2, 3]
    lines = (tmp_path / "results.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["number"] for line in lines) == [0, 1, 2, 3]


def test_ctrl_c_ends_a_match_at_once_and_a_game_cut_off_is_nobodys_loss(
    tmp_path: Path, bad_engine: Callable[[str], str]
) -> None:
    folder = tmp_path / "match"
    command = [
        sys.executable,
        "-m",
        "tengen",
        "match",
        bad_engine("hangs"),
        "policy:net=fake",
        "-o",
        str(folder),
    ]
    with subprocess.Popen(
        [*command, "--games", "4", "--concurrency", "2"], stderr=subprocess.PIPE
    ) as process:
        deadline = time.monotonic() + 60
        while not (folder / "match.json").exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(1.5)  # the program has been asked for a move by now
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
    assert not (folder / "results.jsonl").exists()
    assert not list((folder / "games").glob("*.sgf"))


def test_the_same_seed_plays_the_same_games(tmp_path: Path) -> None:
    def games(folder: Path) -> list[str]:
        list(Match((ENGINE, ENGINE), TERMS, folder).play(2))
        return [(folder / "games" / f"000{n}.sgf").read_text() for n in (1, 2)]

    assert games(tmp_path / "a") == games(tmp_path / "b")


def test_a_match_is_played_by_one_process(tmp_path: Path) -> None:
    match = Match((ENGINE, ENGINE), TERMS, tmp_path)
    with Claim(tmp_path), pytest.raises(InputError, match="another process is writing there"):
        next(match.play(2))
    assert len(list(match.play(2))) == 2


def test_a_folder_belongs_to_one_match(tmp_path: Path) -> None:
    Match((ENGINE, ENGINE), TERMS, tmp_path)
    with pytest.raises(InputError, match=r"another match \(komi differ\)"):
        Match((ENGINE, ENGINE), Terms(size=5, komi=0.5), tmp_path)


@pytest.mark.parametrize(
    ("fault", "kind", "result"),
    [
        ("dies", "crash", "W+F"),
        ("hangs", "timeout", "W+T"),
        ("cheats", "illegal", "W+F"),
        ("babbles", "protocol", "W+F"),
    ],
)
def test_a_program_that_fails_loses_that_game_and_the_match_goes_on(
    fault: str,
    kind: str,
    result: str,
    tmp_path: Path,
    bad_engine: Callable[[str], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(contestant, "PATIENCE", 0.7)
    match = Match((bad_engine(fault), "policy:net=fake"), Terms(size=9), tmp_path / "match")
    outcomes = list(match.play(2))
    assert outcomes[0].result == result
    assert [o.points for o in outcomes] == [0, 0]
    assert all(o.failure and f": {kind}: " in o.failure for o in outcomes)
    assert f": {kind}: " in (tmp_path / "match" / "games" / "0001.log").read_text()


def test_several_games_at_once_are_the_same_games(tmp_path: Path) -> None:
    one = Match((ENGINE, "policy:net=fake"), TERMS, tmp_path / "one")
    two = Match((ENGINE, "policy:net=fake"), TERMS, tmp_path / "two")
    list(one.play(4))
    list(two.play(4, concurrency=2))
    assert [one.outcomes[n].result for n in range(4)] == [two.outcomes[n].result for n in range(4)]


def test_the_sequential_test_stops_a_match(tmp_path: Path, bad_engine: Callable[[str], str]) -> None:
    match = Match((bad_engine("babbles"), "policy:net=fake"), TERMS, tmp_path / "match")
    assert len(list(match.play(200, sprt=Sprt(0, 200)))) == 5


def test_handicap_stones_are_given_to_both(tmp_path: Path) -> None:
    match = Match((ENGINE, "policy:net=fake"), Terms(size=9, komi=0.5, handicap=3), tmp_path)
    list(match.play(1))
    game = Game.from_sgf(tmp_path / "games" / "0001.sgf")
    assert len(game.setup.black) == game.handicap == 3
    assert game.moves[0].color.letter == "W"


def test_every_opening_is_played_with_both_colours(tmp_path: Path, examples: Path) -> None:
    import_games([examples], tmp_path / "pool.parquet")
    terms = Terms(size=9, openings=str(tmp_path / "pool.parquet"), opening_moves=6)
    match = Match((ENGINE, "policy:net=fake"), terms, tmp_path / "match")
    list(match.play(4))
    games = [Game.from_sgf(tmp_path / "match" / "games" / f"000{n}.sgf") for n in (1, 2, 3, 4)]
    beginnings = [game.moves[:6] for game in games]
    assert beginnings[0] == beginnings[1] != beginnings[2] == beginnings[3]
    assert games[0].black == games[1].white
    with pytest.raises(InputError, match="no even game"):
        Match((ENGINE, ENGINE), Terms(size=5, openings=str(tmp_path / "pool.parquet")), tmp_path / "none")


@pytest.mark.parametrize(
    "terms", [Terms(size=40), Terms(rules="martian"), Terms(komi=1e9), Terms(size=9, handicap=30)]
)
def test_terms_that_cannot_be_are_refused(terms: Terms, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        Match((ENGINE, ENGINE), terms, tmp_path / "match")
    assert not (tmp_path / "match").exists()


@pytest.mark.parametrize(
    "spec", ["puct:visits=many", "puct:net", "puct:colour=3", "puct:visits=0", "no-such-program", "", "'"]
)
def test_a_contestant_that_cannot_be_is_refused_before_anything_is_written(spec: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        Match((ENGINE, spec), TERMS, tmp_path / "match")
    assert not (tmp_path / "match").exists()


@pytest.mark.parametrize(
    ("result", "black", "expected"),
    [("B+3.5", 0, 1), ("B+R", 1, 0), ("W+T", 1, 1), ("0", 0, 0.5), ("Void", 0, None)],
)
def test_points_are_the_first_contestants(result: str, black: int, expected: float | None) -> None:
    assert Outcome(0, black, result, 10, (0, 0)).points == expected


def test_gnu_go_plays_and_counts(tmp_path: Path, gnugo: str) -> None:
    """A program of others accepts every move of ours, even and with handicap stones, and counts at the end."""
    command = f"{gnugo} --mode gtp --level 1 --chinese-rules"
    for terms in (Terms(size=7, komi=9), Terms(size=9, komi=0.5, handicap=2)):
        match = Match(("puct:net=fake,visits=8,resign=0", command), terms, tmp_path / str(terms.handicap))
        outcomes = list(match.play(2))
        assert not any(outcome.failure for outcome in outcomes)
        for outcome in outcomes:
            log = (tmp_path / str(terms.handicap) / "games" / f"000{outcome.number + 1}.log").read_text()
            assert "? " not in log and "> final_score" in log
