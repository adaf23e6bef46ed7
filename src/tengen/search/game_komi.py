"""Which komi the searches of a game play for: when a method of `tengen.search.dynamic_komi` is asked, and what it sees.

The komi is chosen once for a move, before its search, and does not change during the search: values of one search are
then comparable (the paper's "next move"; II.D names the other way, after so many simulations). It is chosen from the
player's last root in the same game, two moves back at most. Where there is none (the first move, a jump in the record,
an analysis) it is chosen from the position itself as far as it is known: one evaluation, or what was kept of a search.
"""

from __future__ import annotations

from collections.abc import Callable

from tengen.errors import InputError
from tengen.go.game import Game, Move, Setup
from tengen.go.rules import Rules
from tengen.nets.card import ModelCard
from tengen.search.dynamic_komi import (
    AUTO,
    HANDICAP_METHOD,
    METHODS,
    DynamicKomi,
    KomiTerms,
    check_method,
)
from tengen.search.player import Root

# Moves of a game after which a root is out of date: the own move and the answer.
ROOT_LASTS = 2


class GameKomi:
    """Follows one game after another."""

    def __init__(self) -> None:
        self._name, self._terms, self._rolled = "none", KomiTerms(), False
        self._for_handicap = "none"  # what `auto` means there
        self._start: tuple[int, Rules, Setup] | None = None
        self._moves: list[Move] = []
        self._methods: dict[str, DynamicKomi] = {}
        self._last: Root | None = None

    def configure(self, name: str, terms: KomiTerms, card: ModelCard, rollouts: int) -> None:
        """Takes a method by its name; InputError, and nothing changes, if it cannot work with this net.

        `auto` never fails: it uses no method where its own cannot work.
        """
        for_handicap = HANDICAP_METHOD
        try:
            check_method(HANDICAP_METHOD if name == AUTO else name, card, rollouts, terms.weight)
        except InputError:
            if name != AUTO:
                raise
            for_handicap = "none"
        if (name, bool(rollouts)) != (self._name, self._rolled):
            self._last = None  # it may not have what this method needs
        if (name, terms) != (self._name, self._terms):
            self._methods = {}
        self._name, self._terms, self._rolled = name, terms, bool(rollouts)
        self._for_handicap = for_handicap

    def method_for(self, game: Game, playing: bool) -> str:
        """The name of the method, never `auto`: that is for moves which are played in games with handicap stones."""
        if self._name != AUTO:
            return self._name
        has_stones = playing and (game.handicap >= 2 or game.position().handicap_stones >= 2)
        return self._for_handicap if has_stones else "none"

    def reads_ownership(self, game: Game, playing: bool) -> bool:
        return METHODS[self.method_for(game, playing)].ownership

    def komi(self, game: Game, playing: bool, look: Callable[[], Root]) -> float:
        """The komi to search for at the game's next move.

        `look` gives the statistics of the position as it is known before the search.
        """
        name = self.method_for(game, playing)
        if name == "none":
            return game.komi
        if not self._follows(game):
            if not playing:  # an analysis elsewhere leaves the game as it is
                return METHODS[name].make(self._terms).next_komi(look(), game)
            self._begin(game)
        method = self._methods.setdefault(name, METHODS[name].make(self._terms))
        return method.next_komi(self._last or look(), game)

    def remember(self, game: Game, root: Root) -> None:
        """Keeps the root of a move that is about to be played."""
        if not self._follows(game):
            self._begin(game)
        self._moves, self._last = list(game.moves), root

    def _follows(self, game: Game) -> bool:
        """Whether the game is the one that is known, and has not gone on for longer than a root lasts."""
        known = len(self._moves)
        return (
            self._start == (game.size, game.rules, game.setup)
            and known <= len(game.moves) <= known + ROOT_LASTS
            and game.moves[:known] == self._moves
        )

    def _begin(self, game: Game) -> None:
        self._start = (game.size, game.rules, Setup(list(game.setup.black), list(game.setup.white)))
        self._moves, self._methods, self._last = list(game.moves), {}, None
