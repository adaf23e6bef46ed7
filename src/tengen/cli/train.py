"""`tengen train`: train nets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from tengen.cli.train_label import label
from tengen.cli.train_long_term import long_term
from tengen.cli.train_options import RUNS, Changes, Resume, RunsFolder, ready_to_train
from tengen.cli.train_reinforce import reinforce
from tengen.cli.train_strength import strength
from tengen.cli.train_value import value

app = App(
    name="train",
    help="""\
Train nets and strength models; needs `pip install 'tengen[train]'`.

Example: tengen train policy recipes/tengen-96x6.toml --set run.examples=200000""",
)
app.command(label)
app.command(long_term)
app.command(reinforce)
app.command(strength)
app.command(value)


@app.command
def policy(
    recipe: Path,
    *,
    set_: Changes = None,
    resume: Resume = False,
    output: RunsFolder = RUNS,
) -> None:
    """Train a policy net on the games of a pool, as a recipe says.

    The run's folder gets checkpoints, log.csv and TensorBoard events. Ctrl-C saves a checkpoint; --resume
    goes on from the last one with the same next batch.

    Example: tengen train policy recipes/res13-sbn.toml --set net.width=64 --set run.examples=200000

    Parameters
    ----------
    recipe
        A TOML file; see recipes/.
    set_
        section.key=value, in place of what the recipe says; may be given several times.
    resume
        Go on from the run's last checkpoint.
    output
        The folder of runs; this run's is named for the recipe (--set name=...).
    """
    ready_to_train()
    from tengen.cli.training_progress import train_net
    from tengen.training.recipe import PolicyRecipe
    from tengen.training.supervised import PolicyTask, open_examples

    plan = PolicyRecipe.read(recipe, set_ or [])
    train_net(lambda: PolicyTask(plan, *open_examples(plan)), output / plan.name, resume)


@app.command
def export(
    *runs: Path,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    json_: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> None:
    """Make a net of a run's last checkpoint that runs without torch: a folder with its card and weights.

    A run of `tengen train long-term` gives an agent for the player long-term (option agent=FOLDER). Our own net comes
    in fp32, int16 and int8, the papers' nets in fp32. Of several runs of one net that branched off one another late,
    the mean of their weights is often better than any; a run named twice counts twice.

    Example: tengen train export out/runs/tengen-96x6 -o out/nets/tengen

    Parameters
    ----------
    runs
        Folders of runs, or of checkpoints.
    output
        The folder to write; `--net FOLDER` then takes it wherever a net is named.
    json_
        Print the card as JSON.
    """
    from tengen.errors import InputError

    if not runs:
        raise InputError("which run? give its folder, such as out/runs/tengen-96x6")
    ready_to_train()
    from tengen.cli.progress import progress_bar
    from tengen.training.export import export as write

    with progress_bar("reading the run") as bar:
        card = write(runs, output, bar)
    print(card.to_json() if json_ else f"{output}: {card.weights:,} weights, {card.training}")
