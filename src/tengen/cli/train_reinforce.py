"""`tengen train reinforce`: reinforcement learning of policy nets."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli.progress import progress_bar
from tengen.cli.train_options import RUNS, Changes, Resume, RunsFolder, ready_to_train

if TYPE_CHECKING:
    from tengen.training.run import RunProgress


def reinforce(
    recipe: Path,
    *,
    set_: Changes = None,
    resume: Resume = False,
    output: RunsFolder = RUNS,
) -> None:
    """Make a trained policy net stronger by games against its past selves (REINFORCE), as a recipe says.

    The run's folder gets checkpoints, log.csv, TensorBoard events, and win_rate.png: the win rate against the net it
    began with. Ctrl-C saves a checkpoint; --resume goes on from the last one. `tengen train export` makes a net of it.

    Example: tengen train reinforce recipes/reinforce-cgi13-9x9.toml --set run.iterations=500

    Parameters
    ----------
    recipe
        A TOML file; see recipes/reinforce-cgi13-9x9.toml.
    set_
        section.key=value, in place of what the recipe says; may be given several times.
    resume
        Go on from the run's last checkpoint.
    output
        The folder of runs; this run's is named for the recipe (--set name=...).
    """
    ready_to_train()
    from tengen.nets.library import open_net
    from tengen.training.reinforce import ReinforceTask
    from tengen.training.reinforce_recipe import ReinforceRecipe
    from tengen.training.run import Run, check_resume

    plan = ReinforceRecipe.read(recipe, set_ or [])
    folder = output / plan.name
    check_resume(folder, resume)
    with progress_bar("opening the net") as bar:
        baseline = open_net(plan.play.baseline, threads=plan.threads) if plan.play.baseline else None
        task = ReinforceTask(plan, baseline)
        run = Run(task, folder)
        bar.say(f"{plan.name}: {task.net.parameter_count:,} parameters, begins with {plan.run.begin}")

        def report(state: RunProgress) -> None:
            note = f"won {state.figures['wins']:.1%}, {1 / max(state.per_second, 1e-9):.1f} s an iteration"
            bar.at(state.done, state.total, f"{note}, {len(task.past)} opponents", "training")
            if state.validated:
                rate, width = state.validation["win_rate"], state.validation["half_width"]
                bar.say(f"iteration {state.done:,}: {rate:.1%} ±{width:.1%} against the start")
                draw_win_rate(folder)

        run.go(report)


def draw_win_rate(folder: Path) -> None:
    """Draws the win rates of the run's log with their 95 % intervals, beside it."""
    from tengen.plots import new_figure, save

    with (folder / "log.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["validation_win_rate"]]
    axes = (figure := new_figure()).subplots()
    axes.errorbar(
        [int(row["iterations"]) for row in rows],
        [100 * float(row["validation_win_rate"]) for row in rows],
        yerr=[100 * float(row["validation_half_width"]) for row in rows],
        marker="o",
        capsize=3,
    )
    axes.axhline(50, color="grey", linewidth=1)
    axes.set(xlabel="iterations", ylabel="% of games won against the start", ylim=(0, 100))
    save(figure, folder / "win_rate.png")
