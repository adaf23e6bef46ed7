"""Table 1 of the CGI paper: the win rate of one position at every komi, and how win rates come in pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tengen.errors import InputError
from tengen.games.store import GameStore
from tengen.nets.evaluator import Evaluator
from tengen.papers.cgi_data import EVEN_MARGINS, TABLE_1
from tengen.papers.cgi_nets import GAMES, SAMPLE, described, labels_of, one_net, open_games, positions_of
from tengen.papers.reproduction import Outcome, Request, Row
from tengen.plots import new_figure, save
from tengen.prediction.accuracy import interval
from tengen.prediction.value_accuracy import Doubles, Pairing, is_rare, pairing, rises
from tengen.prediction.value_reading import Positions, black_values

TITLE = "Win rates of one position at every komi, and their pairs"
SETTINGS: dict[str, Any] = (
    {
        "net": "",  # ML-VN, BV-ML-VN or ordered
        "game": 0,  # of the games that are left, counted from 0, the one whose position is shown
        "move": 60,  # after so many moves
    }
    | GAMES
    | SAMPLE
    | {"games": 200}
)


def run(request: Request) -> Outcome:
    request, net, size = one_net(request, SETTINGS)
    settings = request.settings
    labels = labels_of(net)
    store = open_games(request, size)
    shown = position_of(store, settings["game"], settings["move"])
    values = black_values(net, shown, labels)[0]
    margin = float(shown.margins()[0])
    known = "unknown" if np.isnan(margin) else f"{margin:+g}"
    rows = []
    for k, v in zip(labels.tolist(), values.tolist(), strict=True):
        if k in TABLE_1:
            label = "" if np.isnan(margin) else f", label {1 if k < margin else -1 if k > margin else 0}"
            rows.append(Row(f"v at {k:g}", f"{TABLE_1[k]:.6f}", f"{(v + 1) / 2:.6f}{label}"))
    sample = positions_of(request, store)
    rows += _pairs(net, labels, sample, size, request)
    rows += even_margins(store, size)
    notes = [
        f"The position: game {settings['game']} of the pool after {settings['move']} moves, final margin {known}. The "
        "paper's: a game that ended +3; its record is not printed, so only the shape can be compared.",
        f"Pairs and rises: {described(sample, size)}.",
    ]
    if request.output is not None:
        figure = new_figure(7, 4.5)
        axes = figure.add_subplot()
        axes.step(labels, (values + 1) / 2, where="mid", label=net.card.name)
        axes.plot(list(TABLE_1), list(TABLE_1.values()), "o", ms=3, label="Table 1 (another position)")
        axes.set(xlabel="komi", ylabel="Black's win rate")
        axes.legend()
        save(figure, request.output)
    return Outcome(rows, notes, request.output)


def position_of(store: GameStore, game: int, move: int) -> Positions:
    """One position of the games. InputError if it is not there."""
    if not 0 <= game < len(store):
        raise InputError(f"there are {len(store)} games: game={game} is none of them")
    moves = int(store.frame["move_count"][game])
    if not 0 <= move <= moves:
        raise InputError(f"game {game} has {moves} moves: there is no position after {move}")
    return Positions(store, np.array([game]), np.array([move]))


def _pairs(net: Evaluator, labels: Doubles, sample: Positions, size: int, request: Request) -> list[Row]:
    values = black_values(net, sample, labels, request.progress)
    pairs, up = pairing(labels, values, size), rises(values)
    printed = np.array([[2 * win - 1 for win in TABLE_1.values()]])
    paper: Pairing = pairing(np.array(list(TABLE_1)), printed, 19)
    return [
        Row("mean step within a pair", f"{paper.within:.4f} (Table 1)", f"{pairs.within:.4f}"),
        Row("mean step from a pair to the next", f"{paper.between:.4f} (Table 1)", f"{pairs.between:.4f}"),
        Row("positions in which the win rate rises with komi", "0 of 1 (Table 1)", f"{up.positions:.2%}"),
        Row("steps that rise", "0 of 16 (Table 1)", f"{up.steps:.3%}, the greatest by {up.greatest:.4f}"),
    ]


def even_margins(store: GameStore, size: int) -> list[Row]:
    """The share of games whose margin has the other parity than the board's area."""
    margins = store.frame["final_margin"].drop_nulls().to_numpy().astype(np.float64)
    whole = margins[margins == np.round(margins)]
    if not len(whole):
        return [Row("games with an even margin", f"{EVEN_MARGINS:.1%}", "the pool has no final margins")]
    share = float(is_rare(whole, size).mean())
    low, high = interval(share, len(whole))
    ours = f"{share:.2%} ({low:.2%} to {high:.2%}) of {len(whole):,}"
    return [Row("games with an even margin", f"{EVEN_MARGINS:.1%} of the self-play games", ours)]
