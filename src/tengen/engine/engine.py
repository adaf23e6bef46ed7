"""The engine as a Python object: a net and a player that play and count games."""

from __future__ import annotations

from typing import Any

from tengen.engine.contestant import judge
from tengen.engine.options import make_player
from tengen.go.game import Game
from tengen.go.score import Score
from tengen.nets.evaluator import Evaluator
from tengen.nets.library import open_net
from tengen.search.clock import Clock
from tengen.search.player import Decision, Limit, Player, Question, Root, last_report


class Engine:
    """Chooses moves, analyses positions and counts games.

    >>> from tengen import Game
    >>> engine = Engine(net="fake", visits=20)
    >>> decision = engine.choose(Game(size=9))
    >>> decision.root.visits
    20

    `net` is a name (`tengen nets list`), an evaluator of your own, or None for the one that ships; `player` a
    name in tengen.search.registry, whose options follow by keyword (`visits`, `time`, `rollouts`, ...), or a
    Player of your own.
    """

    def __init__(
        self,
        net: str | Evaluator | None = None,
        player: str | Player = "puct",
        precision: str | None = None,
        **options: Any,
    ) -> None:
        if isinstance(player, str):
            evaluator = open_net(net, precision) if net is None or isinstance(net, str) else net
            player = make_player(player, evaluator, options)
        self.player = player

    def choose(self, game: Game, clock: Clock | None = None) -> Decision:
        """The move after the game's last; it is not played."""
        return self.player.choose(game, clock)

    def analyze(self, game: Game, visits: int = 100, *, ownership: bool = True) -> Root:
        """The analysis of the position after the game's last move."""
        return last_report(self.player, game, Question(Limit(visits=visits), ownership=ownership))

    def score(self, game: Game) -> Score:
        """The count of a finished game; net and playouts together decide which stones are dead."""
        return judge(self.player, game)
