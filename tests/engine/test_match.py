"""Matches: every game kept, failures recorded, resumed where they stopped."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from tengen import Color, Game, InputError, Move
from tengen.engine import contestant
from tengen.engine.match import Match, Outcome
from tengen.engine.significance import Sprt, Tally
from tengen.engine.terms import Terms, usual_komi
from tengen.files import Claim
from tengen.games.importing import import_games
from tengen.games.store import GameStore
from tengen.go.game import Setup
from tengen.go.handicap import fixed_handicap

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
        [*command, "--games", "4", "--concurrency", "2"], stderr=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 60
        while not (folder / "match.json").exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(1.5)  # the program has been asked for a move by now
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=20)
        assert process.returncode == 130 and told == "tengen: stopped by Ctrl-C\n"
    assert not (folder / "results.jsonl").exists()
    assert not list((folder / "games").glob("*.sgf"))


def test_a_misspelt_player_is_named_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"no program 'pcut:visits=3'.*did you mean 'puct'\?"):
        contestant.make_contestant("pcut:visits=3", lambda line: None)


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
    with pytest.raises(InputError, match=r"another match \(komi: there 7.5, here 0.5\)"):
        Match((ENGINE, ENGINE), Terms(size=5, komi=0.5), tmp_path)


def test_a_folder_without_the_newer_terms_opens_with_their_defaults(tmp_path: Path) -> None:
    list(Match((ENGINE, ENGINE), TERMS, tmp_path).play(1))
    description = tmp_path / "match.json"
    terms = json.loads(description.read_text())
    for newer in ("first_is", "from_end"):
        del terms[newer]
    description.write_text(json.dumps(terms))
    results = tmp_path / "results.jsonl"
    outcome = json.loads(results.read_text())
    del outcome["opening"]
    results.write_text(json.dumps(outcome) + "\n")
    assert len(Match((ENGINE, ENGINE), TERMS, tmp_path).outcomes) == 1
    with pytest.raises(InputError, match="first_is: there 'alternate', here 'white'"):
        Match((ENGINE, ENGINE), replace(TERMS, first_is="white"), tmp_path)


def test_a_line_that_is_no_result_is_named(tmp_path: Path) -> None:
    Match((ENGINE, ENGINE), TERMS, tmp_path)
    (tmp_path / "results.jsonl").write_text('{"number": 0, "winner": "B"}\n')
    with pytest.raises(InputError, match=r"results.jsonl, line 1"):
        Match((ENGINE, ENGINE), TERMS, tmp_path)


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


@pytest.mark.parametrize("concurrency", [1, 2])
def test_a_program_that_cannot_start_ends_the_match_and_says_why(
    concurrency: int, tmp_path: Path, bad_engine: Callable[[str], str]
) -> None:
    match = Match((bad_engine("stillborn"), "policy:net=fake"), TERMS, tmp_path / "match")
    with pytest.raises(InputError) as ended:
        list(match.play(20, concurrency))
    assert "stillborn: the program ended at once, twice: no such option: --mode gpt\nsee --help" in str(
        ended.value
    )
    assert not match.outcomes
    assert not (tmp_path / "match" / "results.jsonl").exists()


def test_a_program_that_refuses_every_game_ends_the_match(
    tmp_path: Path, bad_engine: Callable[[str], str]
) -> None:
    match = Match((bad_engine("refuses"), "policy:net=fake"), TERMS, tmp_path / "match")
    with pytest.raises(InputError, match="could not begin a game, twice: 'boardsize 5' refused"):
        list(match.play(20))


def test_failures_are_counted_apart_from_wins(tmp_path: Path, bad_engine: Callable[[str], str]) -> None:
    match = Match(("policy:net=fake", bad_engine("babbles")), TERMS, tmp_path / "match")
    list(match.play(3))
    assert match.tally == Tally(failures=(0, 3))
    assert str(match.tally) == "0 wins, 0 losses, 3 failures of the second program"
    summary = match.result().to_json()
    assert (summary["wins"], summary["failures_of"], summary["win_rate"]) == (0, [0, 3], 1.0)
    assert summary["summary"] == str(match.tally)


@pytest.mark.parametrize(("colour", "black"), [("black", 0), ("white", 1)])
def test_the_first_contestants_colour_can_be_fixed(colour: str, black: int, tmp_path: Path) -> None:
    match = Match((ENGINE, "policy:net=fake"), replace(TERMS, first_is=colour), tmp_path)
    list(match.play(2))
    assert [match.outcomes[n].black for n in range(2)] == [black, black]
    game = Game.from_sgf(tmp_path / "games" / "0002.sgf")
    assert (game.black if black == 0 else game.white) == ENGINE


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


def test_a_large_board_takes_more_stones_than_gtp_fixes() -> None:
    game = Terms(size=19, komi=0.5, handicap=13).game()
    assert len(set(game.setup.black)) == 13
    assert set(game.setup.black) > set(fixed_handicap(19, 9))


def test_a_handicap_of_one_is_no_stone(tmp_path: Path) -> None:
    match = Match((ENGINE, "policy:net=fake"), Terms(size=5, komi=usual_komi(1), handicap=1), tmp_path)
    list(match.play(1))
    game = Game.from_sgf(tmp_path / "games" / "0001.sgf")
    assert not game.setup and game.komi == 0.5
    assert game.moves[0].color.letter == "B"


def test_endings_of_a_pool_are_played_out(tmp_path: Path, examples: Path) -> None:
    """From six moves before the end: a game of five moves is left out, and each record names its game."""
    import_games([examples], tmp_path / "pool.parquet")
    store = GameStore.open(tmp_path / "pool.parquet").filter(pl.col("size") == 9)
    terms = Terms(size=9, openings=str(tmp_path / "pool.parquet"), from_end=6)
    match = Match((ENGINE, "policy:net=fake"), terms, tmp_path / "match")
    assert len(match.openings) == sum(len(game.moves) >= 6 and not game.setup for game in store)
    list(match.play(4))
    records = [Game.from_sgf(tmp_path / "match" / "games" / f"000{n}.sgf") for n in (1, 2, 3, 4)]
    sources = [match.outcomes[n].opening for n in range(4)]
    assert sources[0] == sources[1] != sources[2] == sources[3]
    for record, source in zip(records, sources, strict=True):
        assert record.info["GC"] == f"Opening: {source}"
        identity = source.split(" of game ")[1].split()[0]
        game = store.find(identity)
        assert record.moves[: len(game.moves) - 6] == game.moves[:-6]
    fixed = Match((ENGINE, ENGINE), replace(terms, first_is="black"), tmp_path / "fixed")
    list(fixed.play(2))
    assert fixed.outcomes[0].opening != fixed.outcomes[1].opening


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


def test_openings_of_a_handicap_match_have_its_stones(tmp_path: Path) -> None:
    """Of three games one has the stones of the match; another has as many elsewhere, and the last none."""
    stones, moves = sorted(fixed_handicap(9, 2)), [Move(Color.WHITE, 40), Move(Color.BLACK, 41)]
    games = [Game(size=9, setup=Setup(black=setup), moves=moves) for setup in (stones, [0, 1], [])]
    games[2].moves = moves[::-1]
    GameStore.from_games(games).write(tmp_path / "pool.parquet")
    terms = Terms(size=9, komi=0.5, handicap=2, openings=str(tmp_path / "pool.parquet"), opening_moves=2)
    match = Match((ENGINE, "policy:net=fake"), replace(terms, first_is="white"), tmp_path / "match")
    assert [list(opening.moves) for opening in match.openings] == [moves]
    list(match.play(2))
    for number in (1, 2):
        game = Game.from_sgf(tmp_path / "match" / "games" / f"000{number}.sgf")
        assert game.setup.black == stones and game.moves[:2] == moves and game.white == ENGINE
    with pytest.raises(
        InputError, match="no game with 3 stones on the points that GTP fixes of 2 moves or more"
    ):
        Match((ENGINE, ENGINE), replace(terms, handicap=3), tmp_path / "three")


@pytest.mark.parametrize(
    "terms",
    [
        Terms(size=40),
        Terms(rules="martian"),
        Terms(komi=1e9),
        Terms(size=9, handicap=30),
        Terms(size=9, handicap=-1),
        Terms(first_is="green"),
    ],
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


def test_an_unknown_option_is_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="player puct has no option 'vists'; did you mean 'visits'"):
        Match((ENGINE, "puct:net=fake,vists=3"), TERMS, tmp_path / "match")


def test_options_may_be_words(tmp_path: Path) -> None:
    spec = "puct:net=fake,visits=none,time=0.01,name=quick"
    match = Match((spec, ENGINE), TERMS, tmp_path / "match")
    list(match.play(1))
    assert Game.from_sgf(tmp_path / "match" / "games" / "0001.sgf").black == "quick"


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


def test_handicap_games_with_dynamic_komi(tmp_path: Path) -> None:
    """The log has the komi of each search; the game's komi decides the result."""
    sides = (
        "puct:net=fake,visits=8,komi_method=ml-dk,resign=false",
        "puct:net=fake,visits=8,komi_method=none",
    )
    match = Match(
        sides, Terms(size=9, rules="tromp-taylor", komi=0.5, handicap=4, first_is="white"), tmp_path
    )
    (outcome,) = match.play(1)
    log = (tmp_path / "games" / "0001.log").read_text().splitlines()
    shown = [line for line in log if " searched komi " in line]
    assert shown and all(line.split()[1] == "W" for line in shown)
    game = Game.from_sgf(tmp_path / "games" / "0001.sgf")
    assert game.komi == 0.5 and game.handicap == 4
    if game.result.margin is not None:
        assert game.result.margin % 1 == 0.5
    assert outcome.failure is None


def test_a_komi_method_that_cannot_work_ends_a_match_before_it_begins(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="komi method ss-r needs rollouts"):
        Match(("puct:net=fake,komi_method=ss-r", ENGINE), TERMS, tmp_path)
    assert not (tmp_path / "match.json").exists()
    with pytest.raises(InputError, match="no fixed handicap of 4 stones on 5x5"):
        Match((ENGINE, ENGINE), replace(TERMS, handicap=4), tmp_path)
