"""What the reproductions of DANN's long-term evaluation share: agents trained so far, and readings that are kept."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.errors import InputError
from tengen.nets.agent import CARD, Agent, open_agent
from tengen.nets.evaluator import Evaluator
from tengen.papers.reproduction import Request
from tengen.prediction.predictors import open_net_or_run
from tengen.prediction.reading import Choice, Judged, in_parts, judge_choices
from tengen.progress import Progress
from tengen.search.long_term import Reader

if TYPE_CHECKING:
    from tengen.training.long_term_recipe import LongTermRecipe
    from tengen.training.run import RunProgress

# Positions that are read together.
PART = 8


def slug(*words: object) -> str:
    """The words as part of a file's name.

    >>> slug("out/nets/dann+tengen", 5, "")
    'out-nets-dann+tengen_5'
    """
    return "_".join(re.sub(r"[^\w.+-]+", "-", str(word)).strip("-") for word in words if str(word))


def numbers(text: str, key: str) -> list[int]:
    """Whole numbers of a setting, separated by commas, in rising order."""
    try:
        found = sorted({int(word) for word in text.replace(",", " ").split()})
    except ValueError:
        raise InputError(f"{key} is whole numbers with commas between them, not '{text}'") from None
    if not found or found[0] < 0:
        raise InputError(f"{key} needs a number or more, from 0: {text!r}")
    return found


def open_any_agent(name: str, threads: int) -> Agent:
    """An agent by folder or name, or that of a run's last checkpoint."""
    if name and (Path(name) / "checkpoints").is_dir() and not (Path(name) / CARD).is_file():
        from tengen.training.export_agent import trained_agent

        return trained_agent(Path(name), threads)
    return open_agent(name, threads)


def agent_recipe(pool: Path, settings: dict[str, Any], episodes: int) -> LongTermRecipe:
    """As recipes/long-term-lead.toml; the first `imitated` of the episodes are lines of the games."""
    from tengen.training.long_term_recipe import LongTermRecipe

    ranks = {"min_rank": settings["min_rank"]} if settings["min_rank"] else {}
    table = {
        "name": slug("agent", settings["judge"], settings["taught"], settings["opponent"], settings["seed"]),
        "seed": settings["seed"],
        "threads": settings["threads"],
        "entropy": settings["entropy"],
        "run": {
            "episodes": max(episodes, 1),
            "imitated": settings["imitated"],
            "test_every": 1_000_000_000,  # at each of the counts, then
        },
        "data": {
            "train": [str(pool)],
            "train_filter": {"max_handicap": 0, "not_years": [settings["test_year"]]} | ranks,
            "test": str(pool),
            "test_filter": {"max_handicap": 0, "years": [settings["test_year"]]} | ranks,
            "test_positions": settings["tested"],
        },
        "agent": {"width": 32, "layers": 3, "hidden": 64},
        "play": {
            "predictor": settings["judge"],
            "positions": 4,
            "candidates": 4,
            "lines": 8,
            "reward": settings["taught"],
            "opponent": settings["opponent"],
        },
        "optimiser": {
            "method": "adamw",
            "rate": settings["rate"],
            "schedule": "trapezoid",
            "decay": min(settings["decay"], episodes),
        },
    }
    return LongTermRecipe.from_table(table, "dann-figure5")


def train_agents(
    recipe: LongTermRecipe, counts: Sequence[int], net: Evaluator, folder: Path, request: Request
) -> dict[int, Path]:
    """Folders of the agent after so many episodes each, 0 the untrained one; trained on from where it was left.

    The recipe's run has the episodes of the last one: the others are taken from it on the way.
    """
    from tengen.training.export_agent import export_agent
    from tengen.training.long_term import LongTermTask, open_positions
    from tengen.training.run import Run

    found = {count: folder / recipe.name / f"after-{count}" for count in counts}
    run = folder / recipe.name / "run"
    left = {count: output for count, output in found.items() if not (output / CARD).is_file()}
    if not left:
        return found
    task = LongTermTask(recipe, net, *open_positions(recipe))
    trained = Run(task, run)
    for count, output in left.items():
        task.total = count
        if task.done > count + recipe.play.episodes:
            raise InputError(
                f"{run} has {task.done:,} episodes already: remove it for an agent after {count:,}"
            )

        def show(state: RunProgress, count: int = count) -> None:
            note = f"reward {state.figures.get('reward', 0.0):+.2f}, {state.per_second:,.0f} episodes/s"
            request.progress(Progress(f"training the agent to {count:,} episodes", state.done, count, note))

        if not task.finished:
            trained.go(show)
        trained.save()
        export_agent([run], output)
    return found


def readings(
    choices: Sequence[Choice],
    reader: Reader,
    settings: dict[str, Any],
    steps: Sequence[int],
    path: Path,
    request: Request,
    stage: str,
) -> list[Judged]:
    """All judges of all choices; those that the file has are not made again. The file has one line a position."""
    path.parent.mkdir(parents=True, exist_ok=True)
    found: list[Judged] = []
    if path.is_file():
        lines = path.read_text(encoding="utf-8").split("\n")[
            :-1
        ]  # what follows the last line's end was cut short
        lines = lines[: len(lines) // PART * PART if len(lines) < len(choices) else len(choices)]
        found = [Judged.from_json(json.loads(line)) for line in lines]
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    for number, part in enumerate(in_parts(choices, PART)):
        if number * PART < len(found):
            continue
        request.progress(Progress(stage, len(found), len(choices)))
        rng = np.random.default_rng([settings["seed"], number])
        new = judge_choices(part, reader, settings["candidates"], settings["lines"], steps, rng)
        with path.open("a", encoding="utf-8") as file:
            file.write("".join(json.dumps(one.to_json()) + "\n" for one in new))
        found += new
    return found


def open_predictor(name: str, threads: int) -> Evaluator:
    """The net of a setting: by name, folder or run; POLICY+VALUE joins two of them."""
    from tengen.nets.paired import Paired

    policy, plus, value = name.partition("+")
    if plus and not Path(name).exists():
        return Paired(
            policy=open_net_or_run(policy, None, threads), value=open_net_or_run(value, None, threads)
        )
    return open_net_or_run(name, None, threads)
