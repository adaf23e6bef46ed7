"""Self-play: a pool with no game lost or doubled, whatever happens to the process that makes it."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from nets.head_net import head_net

from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.nets.fake import FakeEvaluator
from tengen.progress import Progress
from tengen.training import selfplay as module
from tengen.training.playing import Terms
from tengen.training.selfplay import Parts, selfplay

TERMS = Terms(size=5, openings=3)
NET = FakeEvaluator()
GAMES = 24


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    """A pool that nothing happened to."""
    return selfplay(NET, TERMS, GAMES, tmp_path_factory.mktemp("whole") / "pool.parquet").frame


def test_the_pool_has_how_every_game_ended(whole: pl.DataFrame) -> None:
    assert whole["line"].to_list() == list(range(1, GAMES + 1))
    assert whole["final_margin"].null_count() == whole["final_owner"].null_count() == 0
    assert whole["size"].unique().to_list() == [5] and whole["rules"].unique().to_list() == ["aga"]
    for row in whole.iter_rows(named=True):
        owner = np.frombuffer(row["final_owner"], np.uint8)
        margin = int((owner == 1).sum()) - int((owner == 2).sum())
        assert row["final_margin"] == margin
        assert row["winner"] == ("B" if margin > 7.5 else "W") and row["margin"] == abs(margin - 7.5)


def test_the_games_are_records_like_any_others(whole: pl.DataFrame) -> None:
    for game in GameStore(whole):
        assert game.position().is_over and game.black == NET.card.name


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_do_not_change_the_pool(whole: pl.DataFrame, tmp_path: Path, threads: int) -> None:
    assert selfplay(NET, TERMS, GAMES, tmp_path / "p.parquet", threads=threads).frame.equals(whole)
    assert [path.name for path in tmp_path.iterdir()] == ["p.parquet"]
    assert GameStore.open(tmp_path / "p.parquet").frame.equals(whole)


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("seed", range(3))
def test_killed_at_any_moment_no_game_is_lost_or_doubled(
    whole: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = random.Random(seed)
    real, kills = GameStore.write, 0

    def deadly(self: GameStore, path: Path) -> None:
        if kills < 5 and chance.random() < 0.2:
            raise Killed
        real(self, path)
        if kills < 5 and chance.random() < 0.2:
            raise Killed

    monkeypatch.setattr(GameStore, "write", deadly)
    monkeypatch.setattr(module.shutil, "rmtree", _deadly(module.shutil.rmtree, chance))
    while True:
        try:
            pool = selfplay(NET, TERMS, GAMES, tmp_path / "p.parquet", part_every=0.0)
            break
        except Killed:
            kills += 1
    assert kills
    assert pool.frame.equals(whole)
    assert [path.name for path in tmp_path.iterdir()] == ["p.parquet"]


def _deadly(real: Any, chance: random.Random) -> Any:
    def call(folder: Path) -> None:
        if chance.random() < 0.5:
            raise Killed
        real(folder)

    return call


def test_the_command_killed_at_random_moments(tmp_path: Path) -> None:
    command = [
        *(sys.executable, "-m", "tengen", "selfplay", "--net", "fake", "--size", "5", "--games", "400"),
        *("--threads", "2"),
    ]
    pool, parts = tmp_path / "p.parquet", tmp_path / "p.parquet.parts"
    once = "from tengen.training import selfplay; selfplay.selfplay.__kwdefaults__['part_every'] = 0.05\n"
    quick = [
        sys.executable,
        "-c",
        once + "from tengen.cli.main import main; main()",
        *command[3:],
        "-o",
        str(pool),
    ]
    for wanted in (1, 3):
        process = subprocess.Popen(quick, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while len(list(parts.glob("[0-9]*.parquet"))) < wanted:
            assert process.poll() is None, process.stderr and process.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.005)
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL
    subprocess.run([*command, "-o", str(pool)], check=True, capture_output=True)
    subprocess.run([*command, "-o", str(tmp_path / "whole.parquet")], check=True, capture_output=True)
    assert GameStore.open(pool).frame.equals(GameStore.open(tmp_path / "whole.parquet").frame)
    assert not parts.exists()


def test_ctrl_c_keeps_the_finished_games(tmp_path: Path) -> None:
    def stop(progress: Progress) -> None:
        if progress.done >= 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        selfplay(NET, TERMS, 200, tmp_path / "p.parquet", report=stop)
    with (parts := Parts(tmp_path / "p.parquet", NET, TERMS)).claimed():
        assert 5 <= len(parts.numbers()) < 200


def test_a_pool_may_grow_while_it_is_made(whole: pl.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        selfplay(NET, TERMS, 3, tmp_path / "p.parquet", report=_interrupting(2))
    assert selfplay(NET, TERMS, GAMES, tmp_path / "p.parquet").frame.equals(whole)


def _interrupting(at: int) -> Any:
    def report(progress: Progress) -> None:
        if progress.done >= at:
            raise KeyboardInterrupt

    return report


def test_a_pool_of_one_game(tmp_path: Path, whole: pl.DataFrame) -> None:
    assert selfplay(NET, TERMS, 1, tmp_path / "p.parquet").frame.equals(whole.head(1))


def test_progress_has_the_rates_and_the_time_left(tmp_path: Path) -> None:
    seen: list[Progress] = []
    selfplay(NET, TERMS, 5, tmp_path / "p.parquet", report=seen.append)
    assert [p.done for p in seen] == list(range(6)) and seen[-1].total == 5
    assert (
        "games/s" in seen[-1].note
        and "positions/s" in seen[-1].note
        and seen[-1].note.endswith("0:00:00 left")
    )


def test_other_terms_or_nets_do_not_mix_in_one_pool(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        selfplay(NET, TERMS, 9, tmp_path / "p.parquet", report=_interrupting(1))
    with pytest.raises(InputError, match="were played with seed = 1, not 2: give the old value"):
        selfplay(NET, Terms(size=5, openings=3, seed=2), 9, tmp_path / "p.parquet")
    with pytest.raises(InputError, match="were played with begin = '', not 'abc'"):
        selfplay(NET, Terms(size=5, openings=3, begin="abc"), 9, tmp_path / "p.parquet")
    with pytest.raises(InputError, match="were played with net = 'fake-0', not 'heads'"):
        selfplay(head_net({"policy": 1}), TERMS, 9, tmp_path / "p.parquet")


def test_a_pool_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "p.parquet").write_bytes(b"precious")
    with pytest.raises(InputError, match="exists already: choose another name"):
        selfplay(NET, TERMS, 1, tmp_path / "p.parquet")
    assert (tmp_path / "p.parquet").read_bytes() == b"precious"


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    with (
        Parts(tmp_path / "p.parquet", NET, TERMS).claimed(),
        pytest.raises(InputError, match="another process is writing there"),
    ):
        selfplay(NET, TERMS, 1, tmp_path / "p.parquet")


def test_a_full_disk_stops_with_a_reason_and_keeps_the_games(
    whole: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, written = pl.DataFrame.write_parquet, []

    def full(self: pl.DataFrame, path: Path, **more: Any) -> None:
        if len(written) == 2:
            Path(path).write_bytes(b"half")
            raise OSError(28, "No space left on device")
        written.append(path)
        real(self, path, **more)

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with pytest.raises(InputError, match=r"No space left on device.*before are kept in .*p\.parquet\.parts"):
        selfplay(NET, TERMS, GAMES, tmp_path / "p.parquet", part_every=0.0)
    monkeypatch.undo()
    assert len(list((tmp_path / "p.parquet.parts").glob("*.parquet"))) == 2
    assert selfplay(NET, TERMS, GAMES, tmp_path / "p.parquet").frame.equals(whole)


def test_an_error_of_a_thread_is_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: FakeEvaluator, positions: Sequence[Any], **more: Any) -> Any:
        raise InputError("the net is broken")

    monkeypatch.setattr(FakeEvaluator, "evaluate", broken)
    with pytest.raises(InputError, match="the net is broken"):
        selfplay(FakeEvaluator(), TERMS, 3, tmp_path / "p.parquet", threads=2)


@pytest.mark.parametrize(("games", "threads"), [(0, 1), (1, 0)])
def test_numbers_that_make_no_sense(tmp_path: Path, games: int, threads: int) -> None:
    with pytest.raises(InputError, match="must be 1 or more, not 0"):
        selfplay(NET, TERMS, games, tmp_path / "p.parquet", threads=threads)
