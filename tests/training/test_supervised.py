"""The training loop: it learns, resumes to the bit, and leaves the last good checkpoint whatever happens."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from tengen.errors import InputError  # noqa: E402
from tengen.files import Claim  # noqa: E402
from tengen.training import checkpoint as checkpoints  # noqa: E402
from tengen.training.data import Batch  # noqa: E402
from tengen.training.recipe import PolicyRecipe  # noqa: E402
from tengen.training.supervised import Progress, Trainer, criterion, open_examples  # noqa: E402

TENGEN = [sys.executable, "-c", "from tengen.cli.main import main; main()"]


def recipe(pool: Path, **changes: Any) -> PolicyRecipe:
    table: dict[str, Any] = {
        "net": "residual",
        "name": "run",
        "encoding": "golois39",
        "options": {"width": 16, "blocks": 2, "pooling": 2, "next_moves": 2},
        "train": [str(pool)],
        "test": str(pool),
        "train_filter": {"not_years": [2015]},
        "test_filter": {"years": [2015]},
        "examples": 640,
        "batch": 32,
        "optimiser": "muon",
        "rate": 0.02,
        "momentum": 0.9,
        "schedule": "trapezoid",
        "warmup": 64,
        "decay": 128,
        "ema": 0.9,
        "next_weight": 0.1,
        "test_every": 320,
        "checkpoint_every": 160,
    }
    return PolicyRecipe.from_table(table | changes, "test")


def trainer(plan: PolicyRecipe, run: Path) -> Trainer:
    return Trainer(plan, run, *open_examples(plan))


def weights(run: Path) -> dict[str, torch.Tensor]:
    saved = checkpoints.load(run)
    return {f"{file}.{name}": t for file, tensors in saved.tensors.items() for name, t in tensors.items()}


def same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return a.keys() == b.keys() and all(torch.equal(a[k], b[k]) for k in a)


def test_it_learns(pool: Path, tmp_path: Path) -> None:
    """Games whose players take the first free point are learnt within some thousand examples."""
    reports: list[Progress] = []
    plan = recipe(pool, examples=4000, decay=1000, test_every=4000, checkpoint_every=4000, symmetries=False)
    trainer(plan, tmp_path).go(reports.append)
    assert reports[-1].examples == 4000
    assert reports[-1].test_top1 > 0.7  # guessing is 1 in 25; the first three moves of 20 are random
    assert reports[-1].loss < 2


@pytest.mark.parametrize("net", ["sgd", "muon"])
def test_stopping_and_resuming_changes_nothing(pool: Path, tmp_path: Path, net: str) -> None:
    changes: dict[str, Any] = {"optimiser": net}
    if net == "sgd":
        changes |= {"net": "res13-sbn", "options": {"width": 8}, "criterion": "mse", "next_weight": 0.0}
        changes |= {"schedule": "algorithm1", "ema": 0.0}
    plan = recipe(pool, **changes)
    trainer(plan, tmp_path / "whole").go()
    # Stopped in the middle: what a kill leaves is the checkpoint at 320.
    first = trainer(plan, tmp_path / "parts")

    def kill(progress: Progress) -> None:
        if progress.examples >= 400:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        first.go(kill, report_every=0.0)
    assert checkpoints.load(tmp_path / "parts").examples == 320
    second = trainer(plan, tmp_path / "parts")
    assert second.resume()
    second.go()
    assert same(weights(tmp_path / "whole"), weights(tmp_path / "parts"))

    def rows(run: str) -> list[str]:
        with (tmp_path / run / "log.csv").open() as file:
            return [row["examples"] for row in csv.DictReader(file)]

    assert rows("parts")[-1] == rows("whole")[-1] == "640"
    assert len(set(rows("parts"))) == len(rows("parts"))


def test_a_run_has_one_trainer(pool: Path, tmp_path: Path) -> None:
    """A second one would write its log and checkpoints between those of the first."""
    with Claim(tmp_path), pytest.raises(InputError, match="another process is writing there"):
        trainer(recipe(pool), tmp_path).go()
    assert not (tmp_path / "log.csv").exists()


def test_a_run_can_be_lengthened(pool: Path, tmp_path: Path) -> None:
    trainer(recipe(pool, examples=320, decay=0), tmp_path / "a").go()
    longer = trainer(recipe(pool, decay=128), tmp_path / "a")
    longer.resume()
    longer.go()
    trainer(recipe(pool, decay=128), tmp_path / "b").go()
    assert same(weights(tmp_path / "a"), weights(tmp_path / "b"))


@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_command_killed_and_resumed(pool: Path, tmp_path: Path, blow: signal.Signals) -> None:
    toml = tmp_path / "run.toml"
    toml.write_text(
        'net = "residual"\nencoding = "golois39"\nexamples = 20000\nbatch = 32\ncheckpoint_every = 320\n'
        f'train = ["{pool}"]\n[options]\nwidth = 8\nblocks = 1\n'
    )
    command = [*TENGEN, "train", "policy", str(toml), "-o", str(tmp_path)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not checkpoints.checkpoints(tmp_path / "run"):
        assert process.poll() is None, process.stderr and process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(blow)
    process.communicate(timeout=60)
    assert process.returncode == (-9 if blow == signal.SIGKILL else 130)
    stopped = checkpoints.load(tmp_path / "run").examples
    assert 0 < stopped < 20000
    plan = PolicyRecipe.read(toml, [f"examples={stopped + 320}"])
    resumed = trainer(plan, tmp_path / "run")
    assert resumed.resume()
    resumed.go()
    trainer(plan, tmp_path / "whole").go()
    assert same(weights(tmp_path / "run"), weights(tmp_path / "whole"))


def test_a_run_that_is_there_is_not_overwritten(pool: Path, tmp_path: Path) -> None:
    from tengen.cli.train import policy

    toml = tmp_path / "run.toml"
    toml.write_text(
        f'net = "res13"\nencoding = "golois39"\ntrain = "{pool}"\nexamples = 50\n[options]\nwidth = 8\n'
    )
    with pytest.raises(InputError, match="no checkpoint to resume from"):
        policy(toml, resume=True, output=tmp_path)
    policy(toml, output=tmp_path)
    with pytest.raises(InputError, match="has a checkpoint already"):
        policy(toml, output=tmp_path)


def test_a_full_disk_keeps_the_last_checkpoint(
    pool: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = trainer(recipe(pool), tmp_path)
    save = checkpoints.save_file

    def full(tensors: dict[str, torch.Tensor], path: Path) -> None:
        if run.examples > 160:
            path.write_bytes(b"half")
            raise OSError(28, "No space left on device")
        save(tensors, path)

    monkeypatch.setattr(checkpoints, "save_file", full)
    with pytest.raises(InputError, match=r"No space left on device.*the one before it is kept"):
        run.go()
    assert [p.name for p in (tmp_path / "checkpoints").iterdir()] == ["000000000160"]
    assert checkpoints.load(tmp_path).examples == 160


def test_only_the_last_two_checkpoints_are_kept(pool: Path, tmp_path: Path) -> None:
    trainer(recipe(pool), tmp_path).go()
    assert [p.name for p in checkpoints.checkpoints(tmp_path)] == ["000000000480", "000000000640"]


def test_a_checkpoint_of_another_net_or_recipe(pool: Path, tmp_path: Path) -> None:
    trainer(recipe(pool, examples=160), tmp_path).go()
    other = trainer(recipe(pool, seed=2), tmp_path)
    with pytest.raises(InputError, match="begun with seed = 1, and the recipe now says 2"):
        other.resume()
    saved = checkpoints.load(tmp_path)
    wide = recipe(pool, options={"width": 24, "blocks": 2, "pooling": 2, "next_moves": 2})
    saved.state["recipe"] = wide.table()
    checkpoints.save(tmp_path, saved)
    with pytest.raises(InputError, match="is of another net"):
        trainer(wide, tmp_path).resume()


@pytest.mark.parametrize("harm", ["cut", "json", "pickle"])
def test_a_broken_checkpoint_is_named(pool: Path, tmp_path: Path, harm: str) -> None:
    trainer(recipe(pool, examples=160), tmp_path).go()
    (folder,) = checkpoints.checkpoints(tmp_path)
    if harm == "cut":
        data = (folder / "net.safetensors").read_bytes()
        (folder / "net.safetensors").write_bytes(data[: len(data) // 2])
    elif harm == "json":
        (folder / "state.json").write_text("{")
    else:
        torch.save({"evil": 1}, folder / "net.safetensors")
    with pytest.raises(InputError, match="cannot be read"):
        checkpoints.load(tmp_path)


def test_a_checkpoint_half_written_is_not_seen(pool: Path, tmp_path: Path) -> None:
    trainer(recipe(pool, examples=160), tmp_path).go()
    (folder,) = checkpoints.checkpoints(tmp_path)
    shutil.copytree(folder, folder.with_name(f".000000000999.{os.getpid()}"))
    assert checkpoints.load(tmp_path).examples == 160


def test_a_rate_that_is_too_high_stops_with_a_reason(pool: Path, tmp_path: Path) -> None:
    plan = recipe(pool, net="alpha13", options={"width": 8}, optimiser="sgd", rate=900.0, schedule="constant",
                  next_weight=0.0, ema=0.0)  # fmt: skip
    with pytest.raises(InputError, match="no longer a number"):
        trainer(plan, tmp_path).go()


def test_a_net_of_another_board_size(pool: Path, tmp_path: Path) -> None:
    plan = recipe(pool, net="6al-2fc", options={"width": 8}, encoding="dann41", next_weight=0.0)
    with pytest.raises(InputError, match="is for 19x19, the games are on 5x5"):
        trainer(plan, tmp_path)


def test_the_papers_criterion() -> None:
    """Section 3.3: mean square error between the softmax and a plane with a one at the move."""
    logits = torch.tensor([[0.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0]])
    plan = PolicyRecipe(net="res13", encoding="golois39", criterion="mse")
    batch = Batch(0, np.empty(0, np.float32), np.array([1, 0]), np.empty((2, 0), np.int64))
    got = criterion(plan, {"policy": logits}, batch)
    p = logits.softmax(1)
    expected = ((p[0] - torch.tensor([0, 1, 0, 0])) ** 2).sum() + (
        (p[1] - torch.tensor([1, 0, 0, 0])) ** 2
    ).sum()
    torch.testing.assert_close(got, expected / 8)


def test_three_step_prediction_ignores_moves_that_do_not_exist() -> None:
    heads = {"policy": torch.randn(2, 9), "next": torch.randn(2, 2, 9)}
    target, following = torch.tensor([1, 2]), torch.tensor([[3, -1], [4, 5]])
    plan = PolicyRecipe(net="darkforest12", encoding="golois39", next_weight=0.5)
    got = criterion(plan, heads, Batch(0, np.empty(0, np.float32), target.numpy(), following.numpy()))
    p, q = heads["policy"].log_softmax(1), heads["next"].log_softmax(2)
    later = -(q[0, 0, 3] + q[1, 0, 4] + q[1, 1, 5]) / 3
    torch.testing.assert_close(got, -(p[0, 1] + p[1, 2]) / 2 + 0.5 * later)


def test_the_state_is_plain_json(pool: Path, tmp_path: Path) -> None:
    trainer(recipe(pool, examples=160), tmp_path).go()
    (folder,) = checkpoints.checkpoints(tmp_path)
    assert sorted(p.name for p in folder.iterdir()) == [
        "ema.safetensors",
        "net.safetensors",
        "optimiser.safetensors",
        "state.json",
    ]
    state = json.loads((folder / "state.json").read_text())
    assert state["examples"] == 160
    assert state["recipe"]["net"] == "residual"
