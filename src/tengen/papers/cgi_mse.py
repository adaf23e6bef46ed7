"""Table 2 and Figures 4 to 6 of the CGI paper: the mean squared error of value nets by position of the game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import polars as pl

from tengen.games.store import GameStore
from tengen.papers.cgi_data import BARELY_WON, BLACK_WINS, VN_KOMI
from tengen.papers.cgi_nets import GAMES, described, last_of, open_games, open_nets, positions_of, title_of
from tengen.papers.findings import finding
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.plots import new_figure, save
from tengen.prediction.accuracy import interval
from tengen.prediction.value_accuracy import Doubles, MoveErrors, half_mse
from tengen.prediction.value_reading import Positions, black_values

# What the paper finds (IV.A, IV.B): the error of the first is lower than the second's; or it is not lower.
LOWER = (("ml_vn", "vn"), ("bv_ml_vn", "bv_vn"))
NOT_LOWER = (("bv_vn", "vn"), ("bv_ml_vn", "ml_vn"))
# Thirds of the positions up to the last that is counted alone.
PHASES = ("opening", "middle game", "endgame")


def measure_mse(
    request: Request, keys: Sequence[str], komi: float, published: Mapping[str, str], figure: str
) -> Outcome:
    """MSE(j) of the nets in games at a komi, each net at its v of that komi (a net of one komi: at its own).

    `published` are the paper's figures by net; `figure` is what the drawing is called.
    """
    settings = GAMES | {"komi": komi} | dict(request.settings)
    nets = open_nets(settings, keys)
    store = open_games(request, nets.size, komi=settings["komi"])
    positions = positions_of(request, store)
    results = positions.results()
    last = last_of(nets.size)
    rows, errors = [], {}
    for name, net in nets.items():
        values = black_values(net, positions, [settings["komi"]], request.progress)[:, 0]
        errors[name] = MoveErrors.of(positions.game, positions.number, values, results, last)
        rows.append(
            Row(f"{title_of(name)}, mean of MSE(j)", published.get(name, ""), str(errors[name].average()))
        )
        rows += _parts(title_of(name), positions, values, results, last)
    rows += _differences(errors)
    rows += statistics(store, settings["komi"])
    if request.output is not None:
        draw(
            errors, f"{figure}: {described(positions, nets.size)}, komi {settings['komi']:g}", request.output
        )
    notes = [
        f"Ours: {described(positions, nets.size)}, komi {settings['komi']:g}; intervals (95 %) are from resampled "
        "games. The paper: 10,000 games on 19x19, every position.",
        "MSE is half of the mean of (z - v)^2 with z and v from -1 to 1: an even guess has 0.5.",
        *_findings(errors),
    ]
    return Outcome(rows, notes, request.output)


def _parts(title: str, positions: Positions, values: Doubles, results: Doubles, last: int) -> list[Row]:
    """The error by phase of the game and by the colour that won."""
    third = np.minimum(3 * positions.number // max(last, 1), 2)
    parts = {f"{title}, {phase}": third == i for i, phase in enumerate(PHASES)}
    parts |= {f"{title}, games that Black won": results > 0, f"{title}, games that White won": results < 0}
    return [
        Row(what, "", f"{half_mse(values[chosen], results[chosen]):.4f}")
        for what, chosen in parts.items()
        if chosen.any()
    ]


def _differences(errors: Mapping[str, MoveErrors]) -> list[Row]:
    """Each net less the first one, on the same positions."""
    names = list(errors)
    rows = []
    for name in names[1:]:
        less = errors[name].less(errors[names[0]])
        verdict = "lower" if less.high < 0 else "higher" if less.low > 0 else "not decided"
        rows.append(Row(f"{title_of(name)} less {title_of(names[0])}", "", f"{less}: {verdict}"))
    return rows


def _findings(errors: Mapping[str, MoveErrors]) -> list[str]:
    """The paper's findings about pairs of nets, on the same positions."""
    said = []
    for one, other in LOWER:
        if {one, other} <= set(errors):
            less = errors[other].less(errors[one])
            said.append(
                finding(f"{title_of(one)} has a lower error than {title_of(other)}", less.low, less.high)
            )
    for one, other in NOT_LOWER:
        if {one, other} <= set(errors):
            more = errors[one].less(errors[other])
            said.append(
                finding(f"{title_of(one)} has no lower error than {title_of(other)}", more.low, more.high)
            )
    return said


def statistics(store: GameStore, komi: float) -> list[Row]:
    """How often Black won, and how often by so little that he would have lost at 7.5 (IV.B)."""
    won = store.frame.select(
        won=(pl.col("winner") == "B").fill_null(False),
        barely=((pl.col("winner") == "B") & (pl.col("margin") < VN_KOMI - komi)).fill_null(False),
    )
    rows = [
        Row(f"games that Black won, komi {komi:g}", BLACK_WINS.get(komi, ""), _share(won["won"].to_list()))
    ]
    if komi < VN_KOMI:
        what = f"of all, Black won by less than {VN_KOMI - komi:g} (lost at komi {VN_KOMI:g})"
        rows.append(Row(what, BARELY_WON.get(komi, ""), _share(won["barely"].to_list())))
    return rows


def _share(seen: Sequence[bool]) -> str:
    share = sum(seen) / len(seen)
    low, high = interval(share, len(seen))
    return f"{share:.2%} ({low:.2%} to {high:.2%}) of {len(seen):,}"


def draw(errors: Mapping[str, MoveErrors], title: str, path: Path) -> None:
    figure = new_figure(8, 5)
    axes = figure.add_subplot()
    for name, error in errors.items():
        axes.plot(error.moves, error.by_move(), marker=".", label=title_of(name))
    axes.axhline(0.5, color="black", lw=0.8, ls=":")
    axes.set(xlabel="moves played", ylabel="MSE")
    axes.set_title(title, fontsize=9)
    axes.grid(alpha=0.3)
    axes.legend()
    save(figure, path)
