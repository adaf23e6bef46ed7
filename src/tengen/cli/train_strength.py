"""`tengen train strength`: train strength models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tengen.cli.progress import progress_bar
from tengen.cli.train_options import RUNS, Changes, Resume, RunsFolder, ready_to_train

if TYPE_CHECKING:
    from tengen.training.run import RunProgress


def strength(
    inputs: Literal["basic", "full", "joint", "relative"],
    recipe: Path,
    *,
    set_: Changes = None,
    resume: Resume = False,
    output: RunsFolder = RUNS,
) -> None:
    """Train a strength model on the features of a pool's games, as a recipe says.

    The run's folder gets checkpoints, log.csv and TensorBoard events. Ctrl-C saves a checkpoint; --resume goes
    on from the last one. `tengen strength export` makes a model of the run.

    Example: tengen train strength relative recipes/strength-fox.toml --set model.hidden=64

    Parameters
    ----------
    inputs
        What the model reads of a move: six numbers from the net's outputs (basic), the vector of its trunk (full),
        that vector and the policy's figures of the move (joint), or these and the vector of the move that the policy
        expected (relative).
    recipe
        A TOML file; see recipes/strength-*.toml.
    set_
        section.key=value, in place of what the recipe says; may be given several times.
    resume
        Go on from the run's last checkpoint.
    output
        The folder of runs; this run's is named for recipe and inputs (--set name=...).
    """
    ready_to_train()
    from tengen.nets.library import open_net
    from tengen.strength.publish import open_objective
    from tengen.strength.recipe import StrengthRecipe
    from tengen.strength.training import StrengthTask
    from tengen.training.run import Run, check_resume

    plan = StrengthRecipe.read(recipe, inputs, set_ or [])
    folder = output / plan.name
    check_resume(folder, resume)
    with progress_bar("opening the net") as bar:
        evaluator = open_net(plan.data.net, plan.data.precision or None, plan.threads)
        task = StrengthTask(plan, open_objective(plan, evaluator, progress=bar))
        run = Run(task, folder)
        bar.say(f"{plan.name}: {plan.model.kind}, {task.net.parameter_count:,} parameters")

        def report(state: RunProgress) -> None:
            loss = f"loss {state.figures['total']:.4f}" if "total" in state.figures else "solved"
            bar.at(state.done, state.total, f"epoch {task.epoch + 1}, {loss}", "training")
            if state.validated:
                parts = "  ".join(
                    f"{key} {value:.4f}" for key, value in state.validation.items() if key != "score"
                )
                mark = " *" if task.stale == 0 else ""
                bar.say(f"epoch {task.epoch:3}  {loss}  {parts}{mark}")

        run.go(report, report_every=0.5)
        bar.say(f"best: epoch {task.best_epoch}, {task.best_score:.5f}; {folder}")
