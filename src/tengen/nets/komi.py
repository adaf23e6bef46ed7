"""Win rates at another komi than the game's: four kinds of nets, four curves.

labels        the net gives a win rate for each komi of its card (CGI, Wu et al. 2017, III.A)
distribution  the net gives a distribution of the margin, and with it the win rate at every komi
input         komi is an input of the net (KataGo): it knows the win rate at the komi it was asked at
flat          the net knows one komi only, and its win rate is the same at every label
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import numpy as np
import numpy.typing as npt

from tengen.errors import InputError
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import Floats, falling
from tengen.nets.heads import LOGISTIC_DEVIATION

Doubles = npt.NDArray[np.float64]
Labels = Sequence[float] | npt.NDArray[np.floating]

# A logistic curve with this factor, 1 / (1 + exp(1.702 (k - mean) / deviation)), is close to the normal one.
LOGISTIC = 1.702
LEAST_DEVIATION = 0.5  # points; of a drawn curve
STEEPEST = 3.0
# Distances from the game's komi at which a search keeps win rates: dense where games are decided.
_OFFSETS = (*range(1, 21), *range(25, 61, 5), 80, 100, 140, 200, 280, 361)
_SURE = 1e-12


class KomiKind(Enum):
    LABELS = "labels"
    DISTRIBUTION = "distribution"
    INPUT = "input"
    FLAT = "flat"


def komi_kind(card: ModelCard) -> KomiKind:
    """How the net of this card comes by win rates at another komi."""
    if len(card.komi_labels) > 1:
        return KomiKind.LABELS
    if len(card.komi_labels) == 1:
        return KomiKind.FLAT
    if "komi" in card.inputs and {"value", "win_by_komi"} & set(card.heads):
        return KomiKind.INPUT
    return KomiKind.DISTRIBUTION if "margin" in card.heads else KomiKind.FLAT


def komi_labels_for(card: ModelCard, size: int, komi: float) -> Floats:
    """The labels at which a search keeps win rates, float32, ascending.

    They are the card's own or, for a net without, the komi itself and offsets from it up to the board's area.

    >>> komi_labels_for(ModelCard("net", "fake", "none", (2,)), 2, 0.5).tolist()
    [-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5, 4.5]
    """
    if komi_kind(card) is KomiKind.LABELS:
        return np.array(sorted(card.komi_labels), np.float32)
    area = size * size
    reach = [offset for offset in _OFFSETS if offset < area] + [area]
    return np.array([komi - o for o in reversed(reach)] + [komi] + [komi + o for o in reach], np.float32)


def labelled_curve(card: ModelCard, values: npt.ArrayLike, labels: Labels) -> Doubles:
    """Win rates [n, labels] from those at the card's own labels, values [n, own], ascending; linear between them.

    Where the values rise with komi, the nearest values that do not are taken instead (see `falling`).

    Here and below `labels` is [labels], or [n, labels] where each position has its own.
    Raises InputError for a komi beyond the card's own labels: the net knows nothing there.
    """
    own = np.array(sorted(card.komi_labels), np.float64)
    rows = falling(values)
    wanted = np.asarray(labels, np.float64)
    outside = wanted[(wanted < own[0]) | (wanted > own[-1])]
    if outside.size:
        raise InputError(
            f"net {card.name} has win rates from komi {own[0]:g} to {own[-1]:g}, not at komi {outside[0]:g}: "
            "ask for komi in that range, or choose another net"
        )
    each = np.broadcast_to(wanted, (len(rows), wanted.shape[-1]))
    curves = [np.interp(there, own, row) for there, row in zip(each, rows, strict=True)]
    return np.array(curves).reshape(each.shape)


def distribution_curve(mean: npt.ArrayLike, deviation: npt.ArrayLike, labels: Labels) -> Doubles:
    """P(margin > label) [n, labels] of logistic distributions of the margin: mean [n], deviation [n], in points."""
    means, deviations = (np.asarray(given, np.float64)[:, None] for given in (mean, deviation))
    return sigmoid(LOGISTIC_DEVIATION * (means - np.asarray(labels, np.float64)) / deviations)


def drawn_curve(
    win: npt.ArrayLike,
    deviation: npt.ArrayLike,
    komi: npt.ArrayLike,
    labels: Labels,
    lead: npt.ArrayLike | None = None,
) -> Doubles:
    """Win rates [n, labels] from one at the position's own komi: win [n], deviation [n], komi [n].

    The curve is logistic and goes through the given win rate. Without leads it is as steep as the deviation of the
    margin says. With Black's lead [n], which is the komi that would make the game even less the position's own, it goes
    through one half there, as far as it is then at least as steep as without, and at most `STEEPEST` times as steep:
    the margin of a won game varies more than its result.
    """
    black, spread, own = (np.asarray(given, np.float64)[:, None] for given in (win, deviation, komi))
    black = np.clip(black, _SURE, 1 - _SURE)
    away = np.asarray(labels, np.float64) - own
    odds, slope = np.log(black / (1 - black)), LOGISTIC / np.maximum(spread, LEAST_DEVIATION)
    if lead is not None:
        ahead = np.asarray(lead, np.float64)[:, None]
        through = odds / np.where(ahead == 0, np.inf, ahead)
        slope = np.clip(through, slope, STEEPEST * slope)
    return sigmoid(odds - slope * away)


def flat_curve(win: npt.ArrayLike, labels: Labels) -> Doubles:
    """The same win rate [n] at every label: [n, labels]."""
    return np.repeat(np.asarray(win, np.float64)[:, None], np.shape(labels)[-1], axis=1)


def sigmoid(x: npt.ArrayLike) -> Doubles:
    return np.asarray(1 / (1 + np.exp(-np.clip(np.asarray(x, np.float64), -60, 60))))
