"""The review of a game: every position is analysed, mistakes are found, an annotated SGF is made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sgfmill import sgf as sgfmill_sgf

from tengen.engine.options import limit_of
from tengen.engine.prefix import up_to
from tengen.go.color import Color
from tengen.go.game import Game, Move
from tengen.go.perspective import Lead
from tengen.go.position import Position
from tengen.nets.advice import advice
from tengen.nets.card import ModelCard
from tengen.nets.evaluation import given
from tengen.progress import Progress, Report, silent
from tengen.search.player import Limit, Player, Question, Root, last_report

# A move that loses at least this much is shown as a mistake.
MISTAKE_POINTS = 2.0
MISTAKE_WIN_RATE = 0.05
# A mistake is as big as the last of these that it reaches, in multiples of the least loss of points or win rate.
SIZES = (("small", 1.0), ("medium", 2.5), ("big", 5.0))
SHOWN_MISTAKES = 10
# A win rate below this, or as near to 1, hardly changes with the lead.
DECIDED = 0.02
VARIATION_MOVES = 8


def rounded(points: float | None, digits: int = 3) -> float | None:
    """Points for JSON; null where the net counts none."""
    return None if points is None else round(points, digits)


@dataclass(frozen=True, slots=True)
class MoveReview:
    """One move of the game. Losses are the mover's, 0 or more, against the position before it.

    A final pass loses points only if it loses win rate: in a decided game the difference is that between an estimate
    and a count. A net without a lead counts no points: None.
    """

    number: int
    move: Move
    position: Position
    """Before the move."""
    before: Root
    after: Root
    points_lost: float | None
    win_rate_lost: float

    @property
    def vertex(self) -> str:
        return self.position.vertex(self.move.point)

    @property
    def best(self) -> str:
        """The vertex that the search prefers."""
        return self.position.vertex(self.before.candidates[0].move) if self.before.candidates else "pass"

    @property
    def is_mistake(self) -> bool:
        first = self.before.candidates[0].move if self.before.candidates else None
        return self.weight >= 1.0 and self.move.point != first

    @property
    def weight(self) -> float:
        """The loss in multiples of the least that makes a mistake: of points or of win rate, whichever is more."""
        return max((self.points_lost or 0.0) / MISTAKE_POINTS, self.win_rate_lost / MISTAKE_WIN_RATE)

    @property
    def size(self) -> str:
        """How big a mistake is: small, medium or big."""
        return next((name for name, least in reversed(SIZES) if self.weight >= least), SIZES[0][0])

    @property
    def loss(self) -> str:
        """The losses in words, without the one that rounds to nothing.

        `loses 6.5 points and 8.0% of win rate`, `loses 6.5 points, but the game was decided already (win rate 0.1%)`.
        """
        points, share = f"{self.points_lost or 0.0:.1f} points", f"{self.win_rate_lost:.1%}"
        if share == "0.0%":
            chance = given(self.after.win_rate).of(self.move.color)
            if DECIDED < chance < 1 - DECIDED:
                return f"loses {points}, but no win rate"
            return f"loses {points}, but the game was decided already (win rate {chance:.1%})"
        return f"loses {f'{points} and ' * (points != '0.0 points')}{share} of win rate"

    def to_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "color": self.move.color.letter,
            "move": self.vertex,
            "best": self.best,
            "points_lost": rounded(self.points_lost),
            "win_rate_lost": round(self.win_rate_lost, 5),
            "is_mistake": self.is_mistake,
        }


@dataclass(frozen=True, slots=True)
class Review:
    """A reviewed game: `roots[n]` is the analysis of the position after n moves."""

    game: Game
    roots: tuple[Root, ...]
    moves: tuple[MoveReview, ...]
    ownership: npt.NDArray[np.float32] | None
    """Of the last position, 1 Black's to -1 White's; None if the net has none."""
    judge: str
    """The player that analysed, and how far."""
    net: str
    """The name of its net."""
    advice: str = ""
    """What the reader should know of that net, in whole sentences."""

    def mistakes(self, count: int | None = SHOWN_MISTAKES) -> list[MoveReview]:
        """So many of them, all if None; the biggest first."""
        found = [m for m in self.moves if m.is_mistake]
        found.sort(key=lambda m: (-m.weight, m.number))
        return found[:count]

    @property
    def has_lead(self) -> bool:
        """Does the net count points? Some nets give a win rate alone."""
        return all(root.lead is not None for root in self.roots)

    def mean_loss(self, color: Color) -> float | None:
        """Points lost a move by a side; None if the net counts none."""
        if not self.has_lead:
            return None
        losses = [given(m.points_lost) for m in self.moves if m.move.color is color]
        return sum(losses) / len(losses) if losses else 0.0

    def to_json(self) -> dict[str, Any]:
        """`positions[n]` is after n moves, in Black's view; `mistakes` are numbers of moves, the biggest first."""
        black = Color.BLACK
        return {
            "black": self.game.black,
            "white": self.game.white,
            "size": self.game.size,
            "komi": self.game.komi,
            "result": str(self.game.result),
            "judge": self.judge,
            "net": self.net,
            "positions": [
                {
                    "black_win_rate": round(given(r.win_rate).of(black), 5),
                    "black_lead": None if r.lead is None else round(r.lead.of(black), 3),
                }
                for r in self.roots
            ],
            "moves": [move.to_json() for move in self.moves],
            "mistakes": [move.number for move in self.mistakes()],
            "mean_loss": {color.letter: rounded(self.mean_loss(color)) for color in Color},
            "ownership": None
            if self.ownership is None
            else [[round(float(x), 4) for x in row] for row in self.ownership],
        }


def review_game(game: Game, player: Player, limit: Limit | None = None, progress: Report = silent) -> Review:
    """Analyses the positions after 0, 1, 2, ... moves, the last with ownership, and compares them.

    `limit` is how far each position is analysed; that of the player's settings if not given.
    """
    limit = limit or limit_of(player)
    rollouts = getattr(player.settings, "rollouts", 0)
    if not rollouts:
        player.net.card.require(
            "win_by_komi", "a review needs win rates: choose another net, or add rollouts"
        )
    owners = bool(rollouts) or "ownership" in player.net.card.heads
    roots = []
    for n in range(len(game.moves) + 1):
        progress(Progress("reviewing", n, len(game.moves) + 1))
        question = Question(limit, ownership=owners and n == len(game.moves), min_moves=1)
        roots.append(last_report(player, up_to(game, n), question))
    bounds = [f"{limit.visits} visits"] if limit.visits else []
    bounds += [f"{limit.seconds:g} s"] if limit.seconds else []
    card = player.net.card
    kind = player.name.removesuffix(card.name).strip()
    return make_review(
        game, roots, f"{kind} with the net {card.name}, {' and '.join(bounds)} a move at most", card
    )


def make_review(game: Game, roots: list[Root], judge: str, card: ModelCard) -> Review:
    """The review from the root statistics of every position; `judge` names who made them, with the card's net."""
    moves = []
    position = game.start()
    end = game.position()
    played = len(game.moves) - (end.passes if end.is_over else 0)
    for number, (move, before, after) in enumerate(zip(game.moves, roots, roots[1:], strict=False), 1):
        mover = move.color
        points = None
        if before.lead is not None and after.lead is not None:
            points = max(before.lead.of(mover) - after.lead.of(mover), 0.0)
        chance = max(given(before.win_rate).of(mover) - given(after.win_rate).of(mover), 0.0)
        if number > played and chance < MISTAKE_WIN_RATE:
            points, chance = None if points is None else 0.0, 0.0
        moves.append(MoveReview(number, move, position.copy(), before, after, points, chance))
        position.play_as(move.color, move.point)
    about = advice(card, game.size)
    return Review(game, tuple(roots), tuple(moves), roots[-1].ownership, judge, card.name, about)


def annotate(review: Review, tree: sgfmill_sgf.Sgf_game) -> bytes:
    """The tree with a comment at its root and every move of its main line, and the better line beside each mistake."""
    size = review.game.size
    tree.get_root().add_comment_text(f"Reviewed by {review.judge}. {review.advice}".rstrip())
    nodes = [node for node in tree.get_main_sequence() if node.get_move()[0] is not None]
    shown = {m.number for m in review.mistakes()}
    for node, move in zip(nodes, review.moves, strict=False):
        node.add_comment_text(comment(move))
        if move.number in shown and move.before.candidates and node.parent is not None:
            branch = node.parent
            color = move.move.color
            for i, point in enumerate(move.before.candidates[0].variation[:VARIATION_MOVES]):
                branch = branch.new_child()
                row, column = divmod(point, size)
                vertex = None if point == size * size else (size - 1 - row, column)
                branch.set_move(color.letter.lower(), vertex)
                if i == 0:
                    branch.add_comment_text(f"Better than {move.vertex}.")
                color = color.opponent
    return bytes(tree.serialise())


def comment(move: MoveReview) -> str:
    """What is said of a move.

    The values are after the move, for Black as graphs have them.
    """
    text = f"Black {given(move.after.win_rate).of(Color.BLACK):.1%}"
    if move.after.lead is not None:
        text += f", lead {Lead(round(move.after.lead.of(Color.BLACK), 1), Color.BLACK)}"
    if (move.points_lost or 0.0) >= 0.5 or move.win_rate_lost >= 0.02:
        text += f". {move.vertex} {move.loss}"
        if move.before.candidates and move.before.candidates[0].move != move.move.point:
            text += f"; better {move.best}"
    return text + "."
