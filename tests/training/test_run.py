"""Run: whatever is trained and whatever happens, a run goes on to the same weights and the same log.

Every test here is made for all kinds of tasks.
"""

from __future__ import annotations

import csv
import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from training.made_tasks import (  # noqa: E402
    Kind,
    long_term_kind,
    policy_kind,
    reinforce_kind,
    strength_kind,
    value_kind,
)

from tengen.errors import InputError  # noqa: E402
from tengen.files import Claim  # noqa: E402
from tengen.training import checkpoint as checkpoints  # noqa: E402
from tengen.training import log as logs  # noqa: E402
from tengen.training.recipe import Recipe  # noqa: E402
from tengen.training.run import DivergedError, Run, RunProgress, Step, Task, check_resume, stopping  # noqa: E402


@pytest.fixture(scope="module", params=["policy", "value", "strength", "reinforce", "long-term"])
def kind(request: pytest.FixtureRequest, pool: Path, tmp_path_factory: pytest.TempPathFactory) -> Kind:
    if request.param == "policy":
        return policy_kind(pool)
    if request.param == "long-term":
        return long_term_kind(pool)
    if request.param == "value":
        return value_kind(tmp_path_factory.mktemp("value"))
    if request.param == "reinforce":
        return reinforce_kind(pool, tmp_path_factory.mktemp("reinforce"))
    return strength_kind(tmp_path_factory.mktemp("strength"))


@pytest.fixture(scope="module")
def whole(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing happened to."""
    folder = tmp_path_factory.mktemp("whole")
    Run(kind.task(), folder).go()
    return folder


def weights(folder: Path) -> dict[str, torch.Tensor]:
    saved = checkpoints.load(folder)
    return {f"{file}.{name}": t for file, tensors in saved.tensors.items() for name, t in tensors.items()}


def rows(folder: Path) -> list[dict[str, str]]:
    """The log without what depends on the clock."""
    with (folder / "log.csv").open() as file:
        return [{k: v for k, v in row.items() if k != "seconds"} for row in csv.DictReader(file)]


def check_same(one: Path, other: Path) -> None:
    """The weights to the bit, the log but for the clock."""
    a, b = weights(one), weights(other)
    assert a.keys() == b.keys()
    assert all(torch.equal(a[name], b[name]) for name in a)
    assert rows(one) == rows(other)


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("seed", range(4))
def test_killed_at_any_moment_it_goes_on_to_the_same_end(
    kind: Kind, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """The process ends before a step, after it, before a row, in the middle of a checkpoint or after one."""
    chance = random.Random(seed)
    kills = 0

    def deadly(owner: Any, name: str) -> None:
        real = getattr(owner, name)

        def call(*given: Any, **named: Any) -> Any:
            if kills < 6 and chance.random() < 0.05:
                raise Killed
            out = real(*given, **named)
            if kills < 6 and chance.random() < 0.05:
                raise Killed
            return out

        monkeypatch.setattr(owner, name, call)

    deadly(checkpoints, "save_file")
    deadly(checkpoints, "save")
    deadly(logs.Log, "write")
    deadly(type(kind.task()), "step")
    deadly(type(kind.task()), "validate")
    while True:
        try:
            Run(kind.task(), tmp_path).go()
            break
        except Killed:
            kills += 1
    assert kills > 0
    check_same(whole, tmp_path)


def trained(command: list[str], folder: Path, more: list[str]) -> subprocess.Popen[str]:
    resume = ["--resume"] if checkpoints.checkpoints(folder) else []
    return subprocess.Popen([*command, *resume, *more], stderr=subprocess.PIPE, text=True)


def wait_for_checkpoint(process: subprocess.Popen[str], folder: Path, after: Path | None = None) -> None:
    deadline = time.monotonic() + 120
    while (found := checkpoints.checkpoints(folder)[-1:]) in ([], [after]):
        assert process.poll() is None, process.stderr and process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    assert found


def test_the_command_killed_at_random_moments(kind: Kind, tmp_path: Path) -> None:
    changes: dict[str, Any] = {kind.count: 100_000, **kind.level}
    command = kind.write(tmp_path / "run.toml", changes)
    folder = tmp_path / "run"
    chance = random.Random(1)
    last: Path | None = None
    for _ in range(2):
        process = trained(command, folder, [])
        wait_for_checkpoint(process, folder, last)
        time.sleep(chance.uniform(0, 0.3))
        process.kill()
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL
        last = checkpoints.checkpoints(folder)[-1]
    check_resumed_to(kind, changes, folder, tmp_path)


def check_resumed_to(kind: Kind, changes: Mapping[str, Any], folder: Path, tmp_path: Path) -> None:
    """The stopped run, a little further, is as one that was never stopped."""
    stopped = checkpoints.load(folder).done
    changes = {**changes, kind.count: kind.until(stopped)}
    Run(kind.task(changes), folder).go()
    Run(kind.task(changes), tmp_path / "whole").go()
    check_same(tmp_path / "whole", folder)


@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_saves_first(kind: Kind, tmp_path: Path, blow: signal.Signals) -> None:
    """Also between two checkpoints: the next one would come long after."""
    changes: dict[str, Any] = {kind.count: 10**7, **kind.level, **kind.seldom}
    command = kind.write(tmp_path / "run.toml", changes)
    folder = tmp_path / "run"
    process = trained(command, folder, [])
    deadline = time.monotonic() + 120
    while not (folder / "events").is_dir() and time.monotonic() < deadline:
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.01)
    time.sleep(0.5)
    process.send_signal(blow)
    process.communicate(timeout=60)
    assert process.returncode == 130
    stopped = checkpoints.load(folder).done
    assert stopped > 0
    task = kind.task(changes)
    run = Run(task, folder)
    assert run.resumed and task.done == stopped


def test_the_second_ctrl_c_interrupts_at_once() -> None:
    with pytest.raises(KeyboardInterrupt), stopping() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.is_set()
        os.kill(os.getpid(), signal.SIGINT)
        pytest.fail("the second one was not obeyed")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_between_two_rows_leaves_no_mark_in_the_log(kind: Kind, whole: Path, tmp_path: Path) -> None:
    """The means of a row that is under way are part of the checkpoint."""
    task = kind.task()
    real, sent = task.step, []

    def step() -> Step:
        out = real()
        if task.done >= 7 * kind.step and not sent:
            sent.append(os.kill(os.getpid(), signal.SIGINT))
        return out

    task.step = step  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        Run(task, tmp_path).go()
    assert checkpoints.load(tmp_path).done == 7 * kind.step
    Run(kind.task(), tmp_path).go()
    check_same(whole, tmp_path)


def test_a_second_process_is_refused(kind: Kind, tmp_path: Path) -> None:
    """It would write its log and checkpoints between those of the first."""
    with Claim(tmp_path), pytest.raises(InputError, match="another process is writing there"):
        Run(kind.task(), tmp_path).go()
    assert not (tmp_path / "log.csv").exists()


def test_it_goes_on_from_what_another_process_wrote_meanwhile(
    kind: Kind, whole: Path, tmp_path: Path
) -> None:
    late = Run(kind.task(), tmp_path)
    Run(kind.task(), tmp_path).go()
    late.go()
    assert late.task.finished
    check_same(whole, tmp_path)


def test_a_run_that_is_finished_stays_as_it_is(kind: Kind, whole: Path) -> None:
    before = rows(whole)
    run = Run(kind.task(), whole)
    assert run.resumed and run.task.finished
    run.go()
    assert rows(whole) == before


def test_a_run_that_is_there_is_not_overwritten(tmp_path: Path, whole: Path) -> None:
    with pytest.raises(InputError, match="no checkpoint to resume from"):
        check_resume(tmp_path, resume=True)
    with pytest.raises(InputError, match="has a checkpoint already"):
        check_resume(whole, resume=False)


def test_a_full_disk_keeps_the_last_checkpoint(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = kind.task()
    first = task.checkpoint_every
    save = checkpoints.save_file

    def full(tensors: dict[str, torch.Tensor], path: Path) -> None:
        if task.done > first:
            path.write_bytes(b"half")
            raise OSError(28, "No space left on device")
        save(tensors, path)

    monkeypatch.setattr(checkpoints, "save_file", full)
    with pytest.raises(InputError, match=r"No space left on device.*the one before it is kept"):
        Run(task, tmp_path).go()
    assert [p.name for p in (tmp_path / "checkpoints").iterdir()] == [f"{first:012}"]
    assert checkpoints.load(tmp_path).done == first


def test_a_full_disk_is_named_by_the_log_as_well(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(logs.EventFile, "scalars", full)
    with pytest.raises(InputError, match=r"log\.csv: cannot be written \(No space left on device\)"):
        Run(kind.task(), tmp_path).go()


def test_only_the_last_two_checkpoints_are_kept(kind: Kind, whole: Path) -> None:
    task = kind.task()
    last = [task.total - task.checkpoint_every, task.total]
    assert [p.name for p in checkpoints.checkpoints(whole)] == [f"{done:012}" for done in last]


def test_a_checkpoint_of_another_recipe_net_or_kind(kind: Kind, tmp_path: Path) -> None:
    Run(kind.task(), tmp_path).go()
    with pytest.raises(InputError, match="begun with seed = 1, and the recipe now says 2"):
        Run(kind.task({"seed": 2}), tmp_path)
    with pytest.raises(
        InputError, match=r"begun with optimiser\.rate = 0\.0., and the recipe now says 0\.005"
    ):
        Run(kind.task({"optimiser.rate": 0.005}), tmp_path)
    saved = checkpoints.load(tmp_path)
    other = kind.task(kind.shape)
    saved.state["recipe"] = other.recipe.table()
    checkpoints.save(tmp_path, saved)
    with pytest.raises(InputError, match="is of another net"):
        Run(other, tmp_path)
    saved.state["kind"] = "selfplay"
    checkpoints.save(tmp_path, saved)
    with pytest.raises(InputError, match="is a run of `tengen train selfplay`, not of `tengen train"):
        Run(kind.task(), tmp_path)


def test_a_run_of_an_older_version_is_named(kind: Kind, tmp_path: Path) -> None:
    folder = tmp_path / "checkpoints" / "000000000160"
    folder.mkdir(parents=True)
    (folder / "state.json").write_text(json.dumps({"recipe": {"net": "residual"}, "examples": 160}))
    with pytest.raises(InputError, match="begun with an older version of tengen: start it anew"):
        Run(kind.task(), tmp_path)


@pytest.mark.parametrize("harm", ["cut", "json", "pickle"])
def test_a_broken_checkpoint_is_named(kind: Kind, whole: Path, tmp_path: Path, harm: str) -> None:
    shutil.copytree(whole, tmp_path / "run")
    folder = checkpoints.checkpoints(tmp_path / "run")[-1]
    if harm == "cut":
        data = (folder / "net.safetensors").read_bytes()
        (folder / "net.safetensors").write_bytes(data[: len(data) // 2])
    elif harm == "json":
        (folder / "state.json").write_text("{")
    else:
        torch.save({"evil": 1}, folder / "net.safetensors")
    with pytest.raises(InputError, match=rf"{folder} cannot be read"):
        Run(kind.task(), tmp_path / "run")


def test_a_checkpoint_half_written_is_not_seen_and_goes(kind: Kind, tmp_path: Path) -> None:
    run = Run(kind.task(), tmp_path)
    run.save()
    (folder,) = checkpoints.checkpoints(tmp_path)
    half = folder.with_name(f".000000000999.{os.getpid() + 1}")
    shutil.copytree(folder, half)
    assert checkpoints.load(tmp_path).done == 0
    run.save()
    assert not half.exists()


def test_a_row_half_written_is_dropped(kind: Kind, whole: Path, tmp_path: Path) -> None:
    shutil.copytree(whole, tmp_path / "run")
    with (tmp_path / "run" / "log.csv").open("a") as file:
        file.write("1")
    Run(kind.task(), tmp_path / "run").go()
    assert rows(tmp_path / "run") == rows(whole)


def test_a_loss_that_is_no_number_stops_with_a_reason(kind: Kind, tmp_path: Path) -> None:
    task: Any = kind.task()
    with torch.no_grad():
        for parameter in task.net.parameters():
            parameter.fill_(float("nan"))
    with pytest.raises(DivergedError, match=rf"no longer a number after {kind.step} .*rate .* is too high"):
        Run(task, tmp_path).go()


def test_a_run_can_be_lengthened(kind: Kind, tmp_path: Path) -> None:
    Run(kind.task(kind.half | kind.level), tmp_path / "a").go()
    Run(kind.task(), tmp_path / "a").go()
    Run(kind.task(), tmp_path / "b").go()
    check_same(tmp_path / "b", tmp_path / "a")


def test_the_state_is_plain_json(kind: Kind, whole: Path) -> None:
    folder = checkpoints.checkpoints(whole)[-1]
    names = {path.name for path in folder.iterdir()}
    tensors = {f"{name}.safetensors" for name in {"net", "optimiser"} | kind.files}
    assert names - {"best.safetensors"} == tensors | {"state.json"}
    state = json.loads((folder / "state.json").read_text())
    assert state["done"] == int(folder.name)
    assert state["recipe"]["name"] == "run"


def test_progress_says_how_a_run_stands(kind: Kind) -> None:
    seen: list[RunProgress] = []
    task = kind.task()
    Run(task).go(seen.append, report_every=0.0)
    assert len(seen) == task.total // kind.step
    assert [p.done for p in seen] == list(range(kind.step, task.total + 1, kind.step))
    last = seen[-1]
    assert last.bar.share == 1 and last.total == task.total and last.unit == task.UNIT
    assert last.validated and last.validation and not seen[0].validated
    assert last.seconds > 0 and last.per_second > 0 and last.seconds_left == 0
    assert 0 <= last.input_share <= 1


class Games(Task):
    """As self-play is: a step plays a game and writes it down; past selves, more and more of them, are in the state."""

    KIND, UNIT = "selfplay", "games"
    recipe = Recipe()
    total = 40
    columns = ("length",)
    log_every, checkpoint_every, validate_every = 10, 7, 10**9

    def __init__(self, folder: Path, kill_at: int | None = None) -> None:
        self.folder, self.kill_at = folder, kill_at
        self.past: list[torch.Tensor] = []

    def step(self) -> Step:
        length = random.Random(self.done).randrange(50, 300)
        (self.folder / f"{self.done:06}.sgf").write_text(
            f"{length} moves against {len(self.past)} past selves"
        )
        if self.kill_at == self.done:
            raise Killed
        self.done += 1
        if self.done % 10 == 0:
            self.past.append(torch.full((2,), float(self.done)))
        return Step(1, {"length": length})

    def state(self) -> tuple[checkpoints.Tensors, dict[str, Any]]:
        return {"past": {str(n): tensor for n, tensor in enumerate(self.past)}}, {}

    def load(self, tensors: checkpoints.Tensors, state: Mapping[str, Any]) -> None:
        self.past = [tensors["past"][str(n)] for n in range(len(tensors["past"]))]


def test_a_task_without_net_and_validation_fits_too(tmp_path: Path) -> None:
    """A kill loses no game and doubles none."""
    for name in ("whole", "parts"):
        (tmp_path / name).mkdir()
    Run(Games(tmp_path / "whole"), tmp_path / "whole" / "run").go()
    for kill_at in (3, 9, 25):
        with pytest.raises(Killed):
            Run(Games(tmp_path / "parts", kill_at), tmp_path / "parts" / "run").go()
    Run(Games(tmp_path / "parts"), tmp_path / "parts" / "run").go()
    check_same(tmp_path / "whole" / "run", tmp_path / "parts" / "run")
    games = [
        {path.name: path.read_text() for path in (tmp_path / name).glob("*.sgf")}
        for name in ("whole", "parts")
    ]
    assert games[0] == games[1] and len(games[0]) == 40
