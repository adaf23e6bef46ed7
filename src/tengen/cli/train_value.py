"""`tengen train value`: train value nets."""

from __future__ import annotations

from pathlib import Path

from tengen.cli.train_options import RUNS, Changes, Resume, RunsFolder, ready_to_train


def value(
    recipe: Path,
    *,
    set_: Changes = None,
    resume: Resume = False,
    output: RunsFolder = RUNS,
) -> None:
    """Train a value net on how the games of a pool ended, as a recipe says.

    The pool must say by how much each game was won (`tengen selfplay` and `tengen games settle` store it) and, for
    nets with ownership, who owned each point. The run's folder gets checkpoints, log.csv and TensorBoard events. Ctrl-C
    saves a checkpoint; --resume goes on from the last one with the same next batch.

    Example: tengen train value recipes/cgi-9x9-bv-ml-vn.toml --set net.width=32 --set data.train=self.parquet

    Parameters
    ----------
    recipe
        A TOML file; see recipes/cgi-*.toml.
    set_
        section.key=value, in place of what the recipe says; may be given several times.
    resume
        Go on from the run's last checkpoint.
    output
        The folder of runs; this run's is named for the recipe (--set name=...).
    """
    ready_to_train()
    from tengen.cli.training_progress import train_net
    from tengen.training.value import ValueTask, open_value_examples
    from tengen.training.value_recipe import ValueRecipe

    plan = ValueRecipe.read(recipe, set_ or [])
    train_net(lambda: ValueTask(plan, *open_value_examples(plan)), output / plan.name, resume)
