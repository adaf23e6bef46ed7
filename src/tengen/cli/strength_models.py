"""`tengen strength ranks`, `export`, `calibrate`, `evaluate` and `search`: making strength models, and judging them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tengen.cli.progress import progress_bar
from tengen.progress import Progress, renamed

if TYPE_CHECKING:
    from tengen.strength.search import Found

_console = Console(highlight=False)
_Json = Annotated[bool, Parameter(name="--json", negative=())]
_Output = Annotated[Path, Parameter(name=["--output", "-o"])]
_Set = Annotated[list[str] | None, Parameter(name=["--set", "-s"], negative=(), allow_leading_hyphen=True)]


def ranks(
    pool: Path,
    *,
    output: _Output,
    players: int = 60,
    games: int = 20,
    training_games: int | None = None,
    json_: _Json = False,
) -> None:
    """Draw from a pool of ranked games a smaller one that is even over the eleven groups of Fox.

    Any number of its first games is even as well, so `tengen strength features --limit` may stop anywhere.

    Example: tengen strength ranks fox.parquet -o fox-60x20.parquet --players 60 --games 20 --training-games 7

    Parameters
    ----------
    pool
        A pool that `tengen games import` wrote, with ranks.
    output
        The pool to write.
    players
        How many of each group, those with the most games.
    games
        How many games of each player.
    training_games
        How many games of each player of T, if fewer: measuring needs many games of a player, training many players.
        As many as --games if not given.
    json_
        Print the count as JSON.
    """
    from tengen.errors import InputError
    from tengen.games.store import GameStore
    from tengen.strength.ranks import draw_players

    counts = {"players": players, "games": games, "training-games": training_games}
    for name, value in counts.items():
        if value is not None and value < 1:
            raise InputError(f"--{name} must be at least 1, not {value}")
    drawn = draw_players(GameStore.open(pool), players, games, training_games)
    if not len(drawn):
        raise InputError(f"{pool}: no even game on 19x19 between players of the groups 3-5k to 9d")
    drawn.write(output)
    if json_:
        print(json.dumps({"written": len(drawn), "output": str(output)}))
        return
    _console.print(f"{len(drawn):,} games", Text(f"written: {output}"))


def export(
    run: Path,
    *,
    output: _Output,
    net: str | None = None,
    threads: int | None = None,
    json_: _Json = False,
) -> None:
    """Make a model of a run that estimates without torch: graph, calibration, figures, and its card.

    A model of ranks is calibrated on the players of V and E, whom training did not see. Its intervals are measured by
    cross-validation: each fifth of these players by a calibration on the others. Its accuracy is measured on E.

    Example: tengen strength export out/runs/strength-fox-full -o src/tengen/models/strength-tengen

    Parameters
    ----------
    run
        The folder of a run of `tengen train strength`.
    output
        The model's folder, which gives it its name.
    net
        The net whose features it was trained on; the recipe's if not given.
    threads
        Threads; all cores if not given.
    json_
        Print the card as JSON.
    """
    from tengen.training import machine, need_torch

    machine.prepare()
    need_torch()
    from tengen.nets.library import open_net
    from tengen.strength.publish import publish
    from tengen.strength.training import load_trained

    recipe = load_trained(run)[1]
    with progress_bar("opening the net") as bar:
        evaluator = open_net(net or recipe.data.net, recipe.data.precision or None, threads)
        card = publish(run, output, evaluator, bar)
    if json_:
        print(card.to_json())
        return
    _console.print(Text(f"{output}: {card.weights:,} weights, reads {card.net}; {card.training}"))
    if card.target == "ranks":
        table = Table("games", "of a", "samples", "exact", "within one", "error", "in 80 %", "in 95 %")
        for what, row in card.measured.items():
            shares = [f"{row[key]:.1%}" for key in ("exact", "within_one")]
            inside = ["-" if row[key] is None else f"{row[key]:.1%}" for key in ("covered80", "covered95")]
            of = "group" if "of a group" in what else "player"
            numbers = f"{row['samples']:,}", *shares, f"{row['error']:.2f}", *inside
            table.add_row(str(row["games"]), of, *numbers)
        _console.print(table)
    else:
        for what, shares in card.measured.items():
            _console.print(f"{what}: {shares[0]:.1%}, {shares[1]:.1%}")


def calibrate(
    model: Path,
    pool: Path,
    *,
    features: Path,
    scale: str,
    net: str | None = None,
    precision: str | None = None,
    threads: int | None = None,
    json_: _Json = False,
) -> None:
    """Fit a model to the ranks that a pool's players have on another scale (Section 7.1 of the thesis).

    The model's card gets the line and its intervals, for `tengen strength --scale`.

    Example: tengen strength calibrate out/strength-tengen kgs.parquet --features out/features --scale kgs

    Parameters
    ----------
    model
        The folder of a strength model.
    pool
        Games whose records give the players' ranks on that scale.
    features
        The folder of their features; games without are left out.
    scale
        kgs, ogs, egf or fox.
    net
        The model's net; if not given, the net of that name, if it is at hand.
    precision
        The precision of the features: fp32, int16 or int8; the net's usual one if not given.
    threads
        Threads; all cores if not given.
    json_
        Print the line as JSON.
    """
    from tengen.games.store import GameStore
    from tengen.nets.library import open_net
    from tengen.strength.feature_store import FeatureStore
    from tengen.strength.model import CARD, StrengthModel, default_net
    from tengen.strength.rescale import calibrate_to_ranks

    strength = StrengthModel.open(model, threads)
    with progress_bar("looking at players") as bar:
        evaluator = open_net(net or default_net(str(model)), precision, threads)
        strength.check_net(evaluator.card)
        games = GameStore.open(pool)
        with FeatureStore(features, evaluator, write=False) as kept:
            found = calibrate_to_ranks(strength, games, kept, scale, bar)
    from dataclasses import replace

    from tengen.files import replacing

    card = replace(strength.card, calibrations={**strength.card.calibrations, scale: found})
    with replacing(model / CARD) as temporary:
        temporary.write_text(card.to_json(), encoding="utf-8")
    if json_:
        line = {"slope": found.slope, "offset": found.offset, "low": found.low, "high": found.high}
        print(json.dumps({"scale": scale, **line, "players": found.samples}))
        return
    _console.print(
        f"{scale} = {found.slope:.3f} x raw + {found.offset:.2f}, from {found.samples} players of "
        f"{found.low:.1f} to {found.high:.1f}"
    )


def evaluate(
    draft: Path,
    *,
    pool: Path,
    features: Path,
    basic: Path | None = None,
    full: Path | None = None,
    window: int | None = None,
    net: str | None = None,
    precision: str | None = None,
    threads: int | None = None,
    json_: _Json = False,
) -> None:
    """Table 5.2 of the thesis on a draft: how well Glicko-2 and models of moves predict T, V, E and X.

    Rows: 50:50, Glicko-2, future Glicko-2, the stochastic, basic and full model, Glicko-2 combined with the last of
    them, and, as a control, Glicko-2 combined with the mean rating. Below the table: the gain of each in
    log-likelihood over Glicko-2, with 95 % intervals.

    Example: tengen strength evaluate draft.parquet --pool kgs.parquet --features out/features --full out/kgs-full

    Parameters
    ----------
    draft
        A draft that `tengen strength prepare` made.
    pool
        The pool it was made of.
    features
        The folder of features that its windows need.
    basic
        The folder of a basic model that was trained on the draft; no row if not given.
    full
        The folder of a full model; no row if not given.
    window
        How many recent moves the stochastic model looks at; as many as the others if not given, or 500.
    net
        The net of the features; that of the full or the basic model if not given.
    precision
        The precision of the features: fp32, int16 or int8; the net's usual one if not given.
    threads
        Threads; all cores if not given.
    json_
        Print the table as JSON.
    """
    from tengen.errors import InputError
    from tengen.games.store import GameStore
    from tengen.nets.library import open_net
    from tengen.strength import evaluate as table52
    from tengen.strength.draft import Draft
    from tengen.strength.feature_store import FeatureStore
    from tengen.strength.model import StrengthModel, default_net
    from tengen.strength.windows import SETS, draft_windows, drafted_games, stored

    prepared = Draft.open(draft)
    games = GameStore.open(pool)
    folders = {"basic": basic, "full": full}
    models = {name: StrengthModel.open(folder, threads) for name, folder in folders.items() if folder}
    named = net or (default_net(str(full or basic)) if full or basic else None)
    chosen = drafted_games(prepared)
    with progress_bar("opening the net") as bar:
        evaluator = open_net(named, precision, threads)
        by_moves = {}
        with FeatureStore(features, evaluator, write=False) as kept:
            records = games.records()
            for name, model in models.items():
                model.check_net(evaluator.card)
                if model.card.inputs not in (name, "joint", "relative") or model.card.target != "games":
                    raise InputError(f"{folders[name]}: not a {name} model of ratings")
                reading = renamed(bar, f"reading features for the {name} model")
                wanted = model.card.inputs, model.card.window
                load = stored(games, kept, model.card.inputs)
                windows = draft_windows(prepared, records, chosen, load, *wanted, reading)
                asking = renamed(bar, f"running the {name} model")
                by_moves[name] = table52.move_ratings(model, prepared, windows, asking)
            reading = renamed(bar, "reading features for the stochastic model")
            load = stored(games, kept, "basic")
            moves = window or max((model.card.window for model in models.values()), default=500)
            predictions = table52.stochastic_prediction(prepared, records, chosen, load, moves, reading)
    lines = table52.evaluate(prepared, chosen, by_moves, predictions)
    if json_:
        rows = {line.name: line.to_json() for line in lines}
        print(json.dumps(rows))
        return
    table = Table("model", *(f"{s} ({int((prepared.sets == s).sum()):,})" for s in SETS))
    for line in lines:
        cells = [line.by_set.get(name) for name in SETS]
        shown = [f"{q.accuracy:.1%} {q.log_likelihood:.3f}" if q else "-" for q in cells]
        table.add_row(line.name, *shown)
        if line.name in table52.PUBLISHED:
            theirs = [f"{alpha:.1f}% {likelihood:.2f}" for alpha, likelihood in table52.PUBLISHED[line.name]]
            table.add_row("[dim]  (thesis)", *(f"[dim]{cell}" for cell in theirs))
    _console.print(table)
    beyond = Table("model", *SETS, title="Log-likelihood beyond Glicko-2's, 95 % intervals")
    for line in lines:
        if line.name not in ("50:50", "Glicko-2"):
            pairs = [line.gains.get(name) for name in SETS]
            beyond.add_row(line.name, *(f"{g.mean:+.3f}±{g.margin:.3f}" if g else "-" for g in pairs))
    _console.print(beyond)


def search(
    recipe: Path,
    *,
    inputs: str = "full",
    set_: _Set = None,
    iterations: int = 5,
    runs: int = 15,
    output: _Output = Path("out/search"),
    json_: _Json = False,
) -> None:
    """Search for hyperparameters as the thesis does (Section 4.7.3): random, in iterations that shrink.

    A search that was stopped goes on with the same command. The best values are printed for a recipe.

    Example: tengen strength search recipes/strength-kgs.toml --set run.epochs=20 --set run.steps=50 --runs 10

    Parameters
    ----------
    recipe
        The recipe with the values that are not searched: data, window, epochs, patience.
    inputs
        basic, full, joint or relative.
    set_
        section.key=value, in place of what the recipe says; may be given several times.
    iterations
        Iterations; after each, the space is 0.6 times as wide.
    runs
        Training runs of an iteration.
    output
        The folder of searches; this one's is named for the recipe.
    json_
        Print all runs as JSON.
    """
    from tengen.training import machine, need_torch

    machine.prepare()
    need_torch()
    from tengen.errors import InputError
    from tengen.nets.library import open_net
    from tengen.strength.publish import open_objective
    from tengen.strength.recipe import StrengthRecipe

    try:
        from tengen.strength.search import search as run_search
    except ImportError:
        raise InputError("the search needs optuna: pip install 'tengen[train]'") from None
    if iterations < 1 or runs < 1:
        raise InputError("--iterations and --runs must be 1 or more")
    plan = StrengthRecipe.read(recipe, inputs, set_ or [])
    with progress_bar("opening the net") as bar:
        evaluator = open_net(plan.data.net, plan.data.precision or None, plan.threads)
        objective = open_objective(plan, evaluator, progress=bar)
        done = 0

        def report(found: Found) -> None:
            nonlocal done
            done += 1
            bar.at(done, iterations * runs, stage="searching")
            bar.say(
                f"iteration {found.iteration + 1}: {found.score:.4f} after {found.epoch} epochs, {found.point}"
            )

        bar(Progress("searching"))
        found = run_search(
            plan, objective, output / plan.name, iterations=iterations, runs=runs, report=report
        )
    best = max(found, key=lambda one: one.score)
    if json_:
        rows = [each.to_json() for each in found]
        print(json.dumps(rows))
        return
    print(f"# best of {len(found)} runs: {best.score:.5f}")
    for section, values in best.point.sections().items():
        print(f"[{section}]")
        for key, value in values.items():
            print(f"{key} = {value!r}")
