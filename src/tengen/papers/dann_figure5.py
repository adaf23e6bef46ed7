"""Figure 5 of the DANN paper: top-1 with long-term evaluation, by steps of a line and by episodes of training."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tengen.papers.dann_long_term import (
    agent_recipe,
    numbers,
    open_any_agent,
    open_predictor,
    readings,
    slug,
    train_agents,
)
from tengen.papers.learning_curves import ACCURACY, draw_panels
from tengen.papers.pools import kgs_pool
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.prediction.reading import (
    Choice,
    Judge,
    Judged,
    Mean,
    best_scale,
    by_prior,
    by_reward,
    by_share,
    by_shifted_product,
    by_value,
    hits,
    pairs,
)
from tengen.search.long_term import Reader
from tengen.training.data import TEST_SEED, Examples
from tengen.training.permutation import shuffled
from tengen.training.pools import open_pools

TITLE = "Top-1 with long-term evaluation, over steps and over training episodes"
SETTINGS: dict[str, Any] = {
    "net": "tengen",  # the predictor; POLICY+VALUE where the policy net has no ownership
    "agent": "",  # a folder or a run; empty: agents are trained here, up to `episodes`
    "episodes": "0,60000,239360,335360",
    "imitated": 239_360,  # the first so many episodes are lines of the games
    "taught": "lead",  # the reward of the training
    "judge": "tengen",  # the net of the training: it names candidates and judges lines
    "rate": 0.001,
    "decay": 48_000,
    "entropy": 0.3,
    "tested": 48,  # positions on which agents are compared with the untrained one
    "steps": "0,5,10,15,20,25",
    "positions": 5000,  # held out
    "tuning": 1000,  # further ones, on which the scale of S is chosen
    "candidates": 5,
    "lines": 8,  # of each candidate
    "reward": "ownership",
    "opponent": "self",
    "test_year": 2015,  # the games of this year are for tests only
    "min_rank": "6d",  # of both players; empty: any
    "threads": 1,
    "seed": 1,
}
USUAL_STEPS = 15  # at which agents are compared
WITHOUT, WITH = "57.7 % GoGoD, 53.8 % PGD", "61 % GoGoD, 56 % PGD (best, 15 to 21 steps)"


def run(request: Request) -> Outcome:
    """Trains agents, reads the positions with each, or goes on with what the work folder has."""
    settings = SETTINGS | dict(request.settings)
    steps = numbers(settings["steps"], "steps")
    pool = kgs_pool(request)
    ranks = {"min_rank": settings["min_rank"]} if settings["min_rank"] else {}
    games = open_pools([pool], {"max_handicap": 0, "years": [settings["test_year"]]} | ranks)
    choices = held_out(Examples(games.records(), "dann41"), settings["tuning"] + settings["positions"])
    net = open_predictor(settings["net"], settings["threads"])
    folder = request.work / "dann-figure5"
    agents: dict[int | str, str]
    if settings["agent"]:
        agents = {"given": settings["agent"]}
    else:
        counts = numbers(settings["episodes"], "episodes")
        recipe = agent_recipe(pool, settings, counts[-1])
        judge = open_predictor(settings["judge"], settings["threads"])
        trained = train_agents(recipe, counts, judge, folder, request)
        agents = {count: str(path) for count, path in trained.items()}
    *fewer, last = agents
    usual = min(steps, key=lambda n: abs(n - USUAL_STEPS))
    read: dict[int | str, list[Judged]] = {}
    for which, name in agents.items():
        agent = open_any_agent(name, settings["threads"])
        reader = Reader(net, agent, settings["reward"], settings["opponent"], settings["threads"])
        wanted = steps if which == last else [usual]
        read[which] = readings(
            choices,
            reader,
            settings,
            wanted,
            _file(folder, settings, name, wanted),
            request,
            f"agent {which}",
        )
    return _outcome(request, settings, read, steps, usual, fewer)


def held_out(examples: Examples, count: int) -> list[Choice]:
    """Positions with the move that was played, drawn as all tests draw them."""
    count = min(count, len(examples))
    return [
        Choice(examples.position(int(i)), examples.played(int(i)))
        for i in shuffled(np.arange(count), len(examples), TEST_SEED)
    ]


def _file(folder: Path, settings: dict[str, Any], agent: str, steps: Sequence[int]) -> Path:
    keys = ("net", "reward", "opponent", "candidates", "lines", "test_year", "min_rank", "seed")
    shown = Path(agent)
    name = slug(*(settings[key] for key in keys), shown.parent.name, shown.name, "-".join(map(str, steps)))
    return folder / "readings" / f"{name}.jsonl"


def _outcome(
    request: Request,
    settings: dict[str, Any],
    read: dict[int | str, list[Judged]],
    steps: Sequence[int],
    usual: int,
    fewer: Sequence[int | str],
) -> Outcome:
    split = min(settings["tuning"], len(next(iter(read.values()))) // 2)
    last = read[list(read)[-1]]
    tuning, test = last[:split], last[split:]
    without = hits(test, by_prior)
    rows = [Row("p alone, without LTE", WITHOUT, f"{100 * without.mean():.2f} %")]
    by_steps: dict[str, list[tuple[float, float]]] = {"p": [], "S": [], "E[R]": []}
    for count in steps:
        row, top1 = _row(f"S, {count} steps", WITH if count == usual else "", tuning, test, by_reward(count))
        rows.append(row)
        for name, share in zip(
            by_steps, (without.mean(), top1, hits(test, by_reward(count)).mean()), strict=True
        ):
            by_steps[name].append((count, 100 * float(share)))
    by_episodes: list[tuple[float, float]] = []
    for which in (*fewer, list(read)[-1]):
        row, top1 = _row(
            f"S, {usual} steps, agent after {which:,} episodes" if isinstance(which, int) else "",
            "converged after about 200 episodes" if which == list(read)[-1] else "",
            read[which][:split],
            read[which][split:],
            by_reward(usual),
        )
        if isinstance(which, int):
            rows.append(row)
            by_episodes.append((which, 100 * top1))
    judges: dict[str, Judge] = {"p": by_prior}
    judges |= {f"E[R], {count} steps": by_reward(count) for count in sorted({steps[0], usual, steps[-1]})}
    if all(one.values is not None for one in last):
        rows.append(_row("control: p and the net's lead one move ahead", "", tuning, test, by_value)[0])
        judges["the net's lead one move ahead"] = by_value
    shifted = hits(test, by_shifted_product(by_reward(usual)))
    rows.append(Row(f"p x (E[R] less the least E[R]), {usual} steps", "", _difference(shifted, without)))
    for name, judge in judges.items():
        above = Mean.of(pairs(test, judge))
        rows.append(
            Row(
                f"the played move above another candidate, by {name}",
                "",
                f"{above.mean:.1%} ±{above.half:.1%}",
            )
        )
    known = float(np.mean([one.right >= 0 for one in test]))
    notes = [
        f"Ours: {len(test):,} positions of KGS {settings['test_year']}, {settings['candidates']} candidates of "
        f"{settings['net']} ({known:.1%} of the moves are among them), {settings['lines']} lines each, reward "
        f"{settings['reward']}, opponent {settings['opponent']}; differences from p on the same positions with 95 % "
        f"intervals. The scale of S was chosen on {len(tuning):,} other positions.",
        "The paper: best DANN (6AL_2FC, T = 5), GoGoD and PGD; reward, opponent, candidates and lines are not given.",
    ]
    if request.output is not None:
        panels = [("by steps", "steps of a line, at most", ACCURACY, by_steps)]
        if by_episodes:
            panels.append(("by training", "episodes", ACCURACY, {"S": by_episodes}))
        draw_panels(panels, f"Figure 5: {settings['net']}, {len(test):,} positions", request.output)
    return Outcome(rows, notes, request.output)


def _row(
    what: str, published: str, tuning: Sequence[Judged], test: Sequence[Judged], judge: Judge
) -> tuple[Row, float]:
    """S by a judge's points beside p alone, and its top-1."""
    scale = best_scale(tuning, judge)
    found = hits(test, by_share(judge, scale))
    ours = f"{_difference(found, hits(test, by_prior))}, scale {scale:g}"
    return Row(what, published, ours), float(found.mean())


def _difference(found: Any, without: Any) -> str:
    change = Mean.of(found - without)
    return f"{100 * found.mean():.2f} % ({100 * change.mean:+.2f} ±{100 * change.half:.2f})"
