"""`tengen train strength`: teach strength models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from tengen.cli.progress import progress_bar

if TYPE_CHECKING:
    from tengen.strength.training import Progress


def strength(
    inputs: Literal["basic", "full", "joint", "relative"],
    recipe: Path,
    *,
    set_: Annotated[
        list[str] | None, Parameter(name=["--set", "-s"], negative=(), allow_leading_hyphen=True)
    ] = None,
    resume: Annotated[bool, Parameter(negative=())] = False,
    output: Annotated[Path, Parameter(name=["--output", "-o"])] = Path("out/runs"),
) -> None:
    """Train a strength model on the features of a pool's games, as a recipe says.

    The run's folder gets checkpoints, log.csv and TensorBoard events. Ctrl-C saves a checkpoint; --resume goes
    on from the last one. `tengen strength export` makes a model of the run.

    Example: tengen train strength relative recipes/strength-fox.toml --set hidden=64

    Parameters
    ----------
    inputs
        What the model sees of a move: six numbers of the net's outputs (basic), the vector of its trunk (full),
        that and what the net's policy said of the move (joint), or those and the vector that the policy expected
        (relative).
    recipe
        A TOML file; see recipes/strength-*.toml.
    set_
        key=value, in place of what the recipe says; may be given several times.
    resume
        Go on from the run's last checkpoint.
    output
        The folder of runs; this run's is named for recipe and inputs (--set name=...).
    """
    from tengen.training import machine

    machine.prepare()
    from tengen.errors import InputError
    from tengen.training import need_torch

    need_torch()
    from tengen.nets.library import open_net
    from tengen.strength.publish import open_task
    from tengen.strength.recipe import StrengthRecipe
    from tengen.strength.training import Trainer
    from tengen.training.checkpoint import checkpoints

    plan = StrengthRecipe.read(recipe, inputs, set_ or [])
    run = output / plan.name
    found = checkpoints(run)
    if found and not resume:
        raise InputError(
            f"{run} has a checkpoint already: --resume to go on, or --set name=... for another run"
        )
    if resume and not found:
        raise InputError(f"{run} has no checkpoint to resume from")
    with progress_bar("opening the net") as bar:
        evaluator = open_net(plan.net, plan.precision or None, plan.threads)
        task = open_task(plan, evaluator, progress=bar)
        trainer = Trainer(plan, task, run)
        trainer.resume()
        bar.say(f"{plan.name}: {plan.model}, {trainer.net.parameter_count:,} parameters")

        def report(state: Progress) -> None:
            total = state.losses["total"]
            done, steps = state.step, plan.epochs * plan.steps
            bar.at(done, steps, f"epoch {state.epoch + 1}, loss {total:.4f}", "training")
            if state.figures:
                parts = "  ".join(
                    f"{key} {value:.4f}" for key, value in state.figures.items() if key != "score"
                )
                mark = " *" if state.stale == 0 else ""
                bar.say(f"epoch {state.epoch:3}  loss {total:.4f}  {parts}{mark}")

        trainer.go(report)
        bar.say(f"best: epoch {trainer.best_epoch}, {trainer.best_score:.5f}; {run}")
