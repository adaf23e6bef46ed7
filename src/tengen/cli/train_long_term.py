"""`tengen train long-term`: the agent of long-term evaluation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tengen.cli.progress import progress_bar
from tengen.cli.train_options import RUNS, Changes, Resume, RunsFolder, ready_to_train

if TYPE_CHECKING:
    from tengen.training.run import RunProgress


def long_term(
    recipe: Path,
    *,
    set_: Changes = None,
    resume: Resume = False,
    output: RunsFolder = RUNS,
) -> None:
    """Train an agent that plays out local fights (REINFORCE), for the player long-term, as a recipe says.

    The run's folder gets checkpoints, log.csv and TensorBoard events, with the variance of the gradient with and
    without the baseline. Ctrl-C saves a checkpoint; --resume goes on from the last one. `tengen train export` makes
    an agent of it.

    Example: tengen train long-term recipes/long-term-ownership.toml --set run.episodes=50000

    Parameters
    ----------
    recipe
        A TOML file; see recipes/long-term-*.toml.
    set_
        section.key=value, in place of what the recipe says; may be given several times.
    resume
        Go on from the run's last checkpoint.
    output
        The folder of runs; this run's is named for the recipe (--set name=...).
    """
    ready_to_train()
    from tengen.nets.library import open_net
    from tengen.training.long_term import LongTermTask, open_positions
    from tengen.training.long_term_recipe import LongTermRecipe
    from tengen.training.run import Run, check_resume

    plan = LongTermRecipe.read(recipe, set_ or [])
    folder = output / plan.name
    check_resume(folder, resume)
    with progress_bar("opening the games") as bar:
        predictor = open_net(plan.play.predictor, threads=plan.threads)
        task = LongTermTask(plan, predictor, *open_positions(plan))
        run = Run(task, folder)
        bar.say(
            f"{plan.name}: {task.net.parameter_count:,} parameters, {len(task.train):,} positions, candidates of "
            f"{plan.play.predictor}, from episode {task.done:,} to {task.total:,}"
        )

        def report(state: RunProgress) -> None:
            note = f"reward {state.figures.get('reward', 0.0):+.2f}, {state.per_second:,.0f} episodes/s"
            bar.at(state.done, state.total, note, "training")
            if state.validated:
                test = state.validation
                share = test["variance"] / max(test["variance_without"], 1e-9)
                bar.say(
                    f"episode {state.done:,}: {test['gain']:+.2f} ±{test['half_width']:.2f} points a line against the "
                    f"start; the baseline leaves {share:.0%} of the gradient's variance"
                )

        run.go(report)
