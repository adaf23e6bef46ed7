"""Dynamic komi: six ways to choose the komi that a search plays for (CGI, Wu et al. 2017, II.D and III.B).

A search maximises the win rate. Far behind or far ahead all moves have nearly the same win rate, and the search cannot
tell good moves from bad ones: White plays at random against nine stones, Black gives points away. Dynamic komi lets the
search play for another komi than the game's, one at which the game is closer. Moves that gain points then gain win rate
again. In a handicap game White first plays for a small loss, and for more as Black's mistakes come. The komi must be
near the game's again when the game ends, because the game's komi decides the result.

none   the game's komi
ss-r   score-based situational, rollouts: game's komi + rate x mean score of the rollouts
ss-b   the same with the score by the net's ownership (board evaluation)
ss-m   the same with both scores, mixed by lambda
vs-m   value-based situational: the present komi + 1, + 0 or - 1, to bring the mixed win rate into an interval
ml-dk  multi-labelled: the komi nearest to the game's at which the mixed win rate lies in the interval, times the rate

Komi is White's, so whatever favours Black raises it. The komi rate falls from nearly 1 to nearly 0 during the game
(Figure 3). The interval is that of the player's own win rate, so that the methods are the same for Black and White;
with the paper's 45 to 55 % this is the interval of Black's win rate, too.

A method needs a root of the game and the game up to the move that is to be searched. `tengen.search.game_komi` says
which root, and when. Methods do not round: the search interpolates between labels. They never leave the labels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.game import Game
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import Floats
from tengen.nets.komi import KomiKind, komi_kind
from tengen.search.player import Root
from tengen.settings import suggestion

# Where no komi brings the win rate into the interval, win rates that differ by less are equally near.
EQUALLY_NEAR = 1e-3


class DynamicKomi(Protocol):
    """A method. It may remember what it needs of one game, so every game has a new one."""

    def next_komi(self, root: Root, game: Game) -> float:
        """The komi to search for at the game's next move, within the labels of the root.

        root: the statistics of a position of this game, with the komi that was searched for there.
        """
        ...


@dataclass(frozen=True, slots=True)
class KomiTerms:
    """The parameters of the methods; the defaults are the paper's.

    low, high: the interval of the player's win rate.
    c, s: steepness and middle of the komi rate.
    weight: lambda, the weight of the net beside the rollouts.
    ratchet: the rule against oscillation of vs-m.
    """

    low: float = 0.45
    high: float = 0.55
    c: float = 8.0
    s: float = 0.45
    weight: float = 0.5
    ratchet: bool = False

    def black_interval(self, player: Color) -> tuple[float, float]:
        """The interval of Black's win rate where this colour chooses the komi."""
        return (self.low, self.high) if player is Color.BLACK else (1 - self.high, 1 - self.low)

    def rate(self, game: Game) -> float:
        """The komi rate of the game's next move."""
        return komi_rate(len(game.moves) + 1, game.size**2, self.c, self.s)


def komi_rate(move: int, points: int, c: float = 8.0, s: float = 0.45) -> float:
    """1 / (1 + exp(c (i / B - s))), i the number of the move that is to be played, from 1; B the points of the board.

    >>> [round(komi_rate(i, 361), 4) for i in (1, 100, 162, 200, 300)]
    [0.9728, 0.7996, 0.5025, 0.3032, 0.0453]
    """
    return 0.5 - 0.5 * math.tanh(0.5 * c * (move / points - s))  # the same function, which cannot overflow


@dataclass(slots=True)
class NoDynamicKomi:
    terms: KomiTerms

    def next_komi(self, root: Root, game: Game) -> float:
        return game.komi


@dataclass(slots=True)
class ScoreSituational:
    """SS: the game's komi and a share of the expected score, which has the game's komi subtracted already."""

    terms: KomiTerms
    score: Callable[[Root, Game, float], float | None]
    """Black's expected score at the game's komi from root, game and lambda; None where it is unknown."""

    def next_komi(self, root: Root, game: Game) -> float:
        score = self.score(root, game, self.terms.weight)
        return game.komi if score is None else _within(root, game, game.komi + self.terms.rate(game) * score)


def _rollout_score(root: Root, game: Game, weight: float) -> float | None:
    return None if root.rollout_lead is None else root.rollout_lead.of(Color.BLACK)


def _owned_score(root: Root, game: Game, weight: float) -> float | None:
    """Points owned by Black less those owned by White, less White's points for komi and handicap stones."""
    if root.ownership is None:
        return None
    return float(root.ownership.sum(dtype=np.float64)) - game.position().handicap_bonus - game.komi


def _mixed_score(root: Root, game: Game, weight: float) -> float | None:
    rolled, owned = _rollout_score(root, game, weight), _owned_score(root, game, weight)
    return None if rolled is None or owned is None else (1 - weight) * rolled + weight * owned


@dataclass(slots=True)
class ValueSituational:
    """VS-M: one point up or down from the komi that was searched for.

    With the ratchet a komi that was given to the other side, and brought the own win rate below the interval, is not
    given again in this game, nor one beyond it (after Baudis 2011, the source of VS).
    """

    terms: KomiTerms
    too_much: dict[Color, float] = field(default_factory=dict)

    def next_komi(self, root: Root, game: Game) -> float:
        if root.searched.win_rate is None:
            return game.komi
        now, player = root.searched.komi, root.to_move
        rate = root.searched.win_rate.of(player)
        giving = 1.0 if player is Color.BLACK else -1.0  # a point to the other side
        if rate < self.terms.low:
            if giving * (now - game.komi) > 0:
                self.too_much[player] = now
            return _within(root, game, now - giving)
        if rate <= self.terms.high:
            return _within(root, game, now)
        most = self.too_much.get(player) if self.terms.ratchet else None
        if most is not None and giving * (now + giving - most) >= 0:
            return _within(root, game, now)
        return _within(root, game, now + giving)


@dataclass(slots=True)
class MultiLabelled:
    """ML-DK, the paper's procedure; docs/papers.md lists the slips that are mended."""

    terms: KomiTerms

    def next_komi(self, root: Root, game: Game) -> float:
        if root.komi_labels is None or root.win_by_komi is None:
            return game.komi
        low, high = self.terms.black_interval(root.to_move)
        target = _nearest_contended(root.komi_labels, root.win_by_komi, game.komi, low, high)
        return _within(root, game, game.komi + self.terms.rate(game) * (target - game.komi))


def _nearest_contended(labels: Floats, wins: Floats, komi: float, low: float, high: float) -> float:
    """The komi nearest to this one, in steps of a point, at which Black's win rate is within the bound that it breaks.

    labels, wins: [n], Black's win rates at ascending komi. If none is within the bound, the one that is nearest to it.
    """
    now = float(np.interp(komi, labels, wins))
    if low <= now <= high:
        return komi
    side = 1.0 if now > high else -1.0  # Black is ahead: more komi
    reach = side * (float(labels[-1] if now > high else labels[0]) - komi)
    tried = komi + side * np.arange(1, math.floor(reach) + 1)
    if not tried.size:
        return komi
    beyond = np.interp(tried, labels, wins)
    beyond = beyond - high if now > high else low - beyond  # above 0: the bound is still broken
    return float(tried[np.argmax(beyond <= max(0.0, float(beyond.min()) + EQUALLY_NEAR))])


def _within(root: Root, game: Game, komi: float) -> float:
    """The komi, or the last label on its side; the game's komi if it is no number."""
    if not math.isfinite(komi):
        return game.komi
    if root.komi_labels is None:
        return komi
    return min(max(komi, float(root.komi_labels[0])), float(root.komi_labels[-1]))


@dataclass(frozen=True, slots=True)
class KomiMethod:
    """One method of the registry.

    title: what it goes by, in a few words, for menus.
    rollouts, ownership: whether it needs rollouts, or the net's ownership over the search.
    """

    title: str
    make: Callable[[KomiTerms], DynamicKomi]
    rollouts: bool = False
    ownership: bool = False


METHODS: dict[str, KomiMethod] = {
    "none": KomiMethod("the game's komi", NoDynamicKomi),
    "ss-r": KomiMethod("score of rollouts", lambda t: ScoreSituational(t, _rollout_score), rollouts=True),
    "ss-b": KomiMethod("score by ownership", lambda t: ScoreSituational(t, _owned_score), ownership=True),
    "ss-m": KomiMethod(
        "score of rollouts and ownership",
        lambda t: ScoreSituational(t, _mixed_score),
        rollouts=True,
        ownership=True,
    ),
    "vs-m": KomiMethod("win rate, a point a move", ValueSituational),
    "ml-dk": KomiMethod("win rates by komi", MultiLabelled),
}
# What `auto` uses where there are handicap stones: the method that measures best (`tengen reproduce cgi-table5`). It
# may be any of METHODS, none included. One that needs rollouts acts only where they are on, which is not the default.
AUTO = "auto"
HANDICAP_METHOD = "ml-dk"


def check_method(name: str, card: ModelCard, rollouts: int, weight: float) -> None:
    """InputError if the method cannot work with this net and these rollouts; it says what to do."""
    if name not in METHODS:
        raise InputError(f"there is no komi method '{name}'{suggestion(name, [AUTO, *METHODS])}")
    method, others = METHODS[name], "choose another komi_method (none, ml-dk)"
    if name == "none":
        return
    if method.rollouts and not rollouts:
        raise InputError(
            f"komi method {name} needs rollouts, and they are off: set rollouts=32 or so, or {others}"
        )
    if method.ownership:
        card.require("ownership", f"komi method {name} needs it; {others}, or a net that has it")
    kind = komi_kind(card)
    is_flat = kind is KomiKind.FLAT or (
        kind is KomiKind.INPUT and not card.has("margin")
    )  # no curve can be drawn
    if is_flat and (not rollouts or weight == 1):
        raise InputError(
            f"komi method {name}: net {card.name} has no win rates at another komi, so that komi can act on rollouts "
            "alone, and these do not count: set rollouts=32 or so and weight below 1, choose a net with win rates by "
            "komi, or set komi_method=none"
        )
