"""Supervised training of policy nets: it learns, and its losses have known values. The harness has its own tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'tengen[train]'")

from training.made_tasks import policy_recipe, policy_task  # noqa: E402
from training.test_run import check_same  # noqa: E402

from tengen.errors import InputError  # noqa: E402
from tengen.training import checkpoint as checkpoints  # noqa: E402
from tengen.training.data import Batch  # noqa: E402
from tengen.training.recipe import NetChoice, PolicyLosses, PolicyRecipe  # noqa: E402
from tengen.training.run import Run, RunProgress  # noqa: E402
from tengen.training.supervised import criterion  # noqa: E402


def test_it_learns(pool: Path, tmp_path: Path) -> None:
    """Games whose players take the first free point are learnt within some thousand examples."""
    reports: list[RunProgress] = []
    counts = {"run.examples": 4000, "run.test_every": 4000, "run.checkpoint_every": 4000}
    plan = policy_recipe(pool, {**counts, "optimiser.decay": 1000, "data.symmetries": False})
    Run(policy_task(plan), tmp_path).go(reports.append)
    assert reports[-1].done == 4000
    assert reports[-1].validation["top1"] > 0.7  # guessing is 1 in 25; the first three moves of 20 are random
    assert reports[-1].figures["loss"] < 2


def test_the_papers_optimiser_and_schedule_resume_to_the_bit_too(pool: Path, tmp_path: Path) -> None:
    """SGD, mean square error and Algorithm 1, whose memory is part of the checkpoint."""
    net = {"architecture": "res13-sbn", "encoding": "golois39", "width": 8}
    how = {"optimiser.method": "sgd", "optimiser.schedule": "algorithm1", "optimiser.ema": 0.0}
    plan = policy_recipe(pool, {"net": net, "losses": {"policy": "mse"}, **how})
    Run(policy_task(plan), tmp_path / "whole").go()

    def kill(progress: RunProgress) -> None:
        if progress.done >= 400:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        Run(policy_task(plan), tmp_path / "parts").go(kill, report_every=0.0)
    assert checkpoints.load(tmp_path / "parts").done == 320
    Run(policy_task(plan), tmp_path / "parts").go()
    check_same(tmp_path / "whole", tmp_path / "parts")


def test_a_run_that_is_there_is_not_overwritten(pool: Path, tmp_path: Path) -> None:
    from tengen.cli.train import policy

    toml = tmp_path / "run.toml"
    toml.write_text(
        f'[run]\nexamples = 50\n[data]\ntrain = "{pool}"\n'
        '[net]\narchitecture = "res13"\nencoding = "golois39"\nwidth = 8\n'
    )
    with pytest.raises(InputError, match="no checkpoint to resume from"):
        policy(toml, resume=True, output=tmp_path)
    policy(toml, output=tmp_path)
    with pytest.raises(InputError, match="has a checkpoint already"):
        policy(toml, output=tmp_path)
    policy(toml, resume=True, output=tmp_path)  # finished: nothing is left to do


def test_a_rate_that_is_too_high_stops_with_a_reason(pool: Path, tmp_path: Path) -> None:
    net = {"architecture": "alpha13", "encoding": "golois39", "width": 8}
    how = {"method": "sgd", "rate": 900.0, "batch": 32}
    plan = policy_recipe(pool, {"net": net, "optimiser": how, "losses": {}})
    with pytest.raises(InputError, match=r"no longer a number after .* examples: the rate 900 is too high"):
        Run(policy_task(plan), tmp_path).go()


def test_a_net_of_another_board_size(pool: Path) -> None:
    net = {"architecture": "6al-2fc", "encoding": "dann41", "width": 8}
    plan = policy_recipe(pool, {"net": net, "losses": {}})
    with pytest.raises(InputError, match=r"is for 19x19, the games are on 5x5: set net\.size=5"):
        policy_task(plan)


def plan_of(architecture: str, **losses: Any) -> PolicyRecipe:
    return PolicyRecipe(net=NetChoice(architecture, "golois39"), losses=PolicyLosses(**losses))


def test_the_papers_criterion() -> None:
    """Section 3.3: mean square error between the softmax and a plane with a one at the move."""
    logits = torch.tensor([[0.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0]])
    plan = plan_of("res13", policy="mse")
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
    plan = plan_of("darkforest12", next_moves=0.5)
    got = criterion(plan, heads, Batch(0, np.empty(0, np.float32), target.numpy(), following.numpy()))
    p, q = heads["policy"].log_softmax(1), heads["next"].log_softmax(2)
    later = -(q[0, 0, 3] + q[1, 0, 4] + q[1, 1, 5]) / 3
    torch.testing.assert_close(got, -(p[0, 1] + p[1, 2]) / 2 + 0.5 * later)
