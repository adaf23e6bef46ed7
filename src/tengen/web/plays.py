"""The games that users play: their states in the store, and the player's moves computed when it is its turn."""

from __future__ import annotations

import threading
import time
import zlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from tengen.engine.options import options_of, read_options
from tengen.engine.terms import Terms, usual_komi
from tengen.go.color import Color
from tengen.go.game import Game
from tengen.go.rules import Rules
from tengen.go.settle import settle
from tengen.nets.evaluator import Evaluator
from tengen.search.dynamic_komi import METHODS
from tengen.search.player import Limit, Player, Question
from tengen.search.registry import PLAYERS, make_player
from tengen.web.analyses import analysis_json, search, slim
from tengen.web.events import Hub
from tengen.web.games import Games, new_id
from tengen.web.limits import Limits
from tengen.web.nets import Nets
from tengen.web.play import Play, time_control
from tengen.web.refusal import RefusalError, not_found
from tengen.web.store import Store
from tengen.web.turns import Priority, Task, Turns

# Options of players that are the server's own business.
SERVERS = {"threads", "memory", "batch", "seed", "time", "rollouts"}
MEMORY = 64  # megabytes of one search tree
ROLLOUTS = 8  # a leaf, for komi methods that need them
HINT_VISITS = 100
HINT_SECONDS = 10.0
MOST_LIVE = 256


def player_options(player: str) -> list[dict[str, Any]]:
    """The options of a player that a user may choose."""
    return [
        {
            "name": option.name,
            "kind": option.kind,
            "default": option.default,
            "help": option.meaning,
            "choices": list(option.choices),
        }
        for option in options_of(player)
        if option.name not in SERVERS
    ]


class _Live:
    """A game in memory, with the player that thinks about it."""

    def __init__(self, play: Play, tab: str) -> None:
        self.play = play
        self.tab = tab
        self.lock = threading.RLock()
        self.thinking: Task | None = None
        self.player: Player | None = None
        self.player_lock = threading.Lock()  # a move that was taken back may still be computed for a moment


class Plays:
    """All games that are played. Every change is in the store before it is answered."""

    def __init__(
        self, store: Store, hub: Hub, turns: Turns, games: Games, nets: Nets, limits: Limits
    ) -> None:
        self._store, self._hub, self._turns = store, hub, turns
        self._games, self._nets, self._limits = games, nets, limits
        self._live: OrderedDict[str, _Live] = OrderedDict()
        self._lock = threading.Lock()

    def start(self, wish: dict[str, Any], tab: str, address: str) -> dict[str, Any]:
        """A new game; `wish` has the fields of the request."""
        net = self._nets.check(wish["net"])
        handicap, rules = wish["handicap"], wish["rules"]
        komi = wish["komi"]
        if komi is None:
            komi = usual_komi(handicap) if handicap else Rules.named(rules).komi
        terms = Terms(
            size=wish["size"],
            rules=rules,
            komi=komi,
            handicap=handicap,
            time=time_control(wish["clock"]),
        )
        terms.check()
        options = self._options(wish)
        now = time.time()
        play = Play.begin(new_id(), terms, Color.parse(wish["you"]), net, wish["player"], options, now)
        live = _Live(play, tab)
        self._check_net(live)
        with live.lock:
            self._remember(live)
            return self._changed(live, tab, address)

    def _options(self, wish: dict[str, Any]) -> dict[str, Any]:
        """The options of the player as they are kept; InputError or RefusalError for what it cannot have."""
        player = wish["player"]
        if player not in PLAYERS:
            raise RefusalError(422, f"there is no player with this name: known are {', '.join(PLAYERS)}")
        names = {option.name for option in options_of(player)}
        options = dict(wish["options"] or {})
        for name in ("visits", "komi_method"):
            if wish.get(name) is not None and name in names:
                options[name] = wish[name]
        if taken := sorted(SERVERS & options.keys()):
            raise RefusalError(422, f"the option {taken[0]} is the server's own: leave it out")
        method = METHODS.get(str(options.get("komi_method")))
        if method is not None and method.rollouts:
            options.setdefault("rollouts", ROLLOUTS)
        settings = read_options(player, options)
        visits = getattr(settings, "visits", None)
        if visits is not None and visits > self._limits.visits:
            raise RefusalError(422, f"at most {self._limits.visits:,} visits a move, not {visits:,}")
        return options

    def _check_net(self, live: _Live) -> None:
        """The net must know the board size and the komi, and have what the player needs."""
        play = live.play
        net = self._nets.open(play.net)
        net.card.check_size(play.terms.size)
        net.card.check_komi(play.terms.komi)
        live.player = self._make_player(play, net)

    def _make_player(self, play: Play, net: Evaluator) -> Player:
        names = {option.name for option in options_of(play.player)}
        own = {"memory": MEMORY, "seed": zlib.crc32(play.id.encode())} | play.options
        return make_player(play.player, net, {key: value for key, value in own.items() if key in names})

    def get(self, id: str, tab: str, address: str) -> dict[str, Any]:
        live = self._find(id)
        with live.lock:
            if tab:
                live.tab = tab
            if live.play.tick(time.time()):
                self._keep(live)
            self._think(live, address)
            return live.play.to_json(time.time())

    def listed(self, tab: str, ids: list[str]) -> list[dict[str, Any]]:
        """Titles of these games, or of those of a tab."""
        tables = (
            [self._store.get("plays", id) for id in ids[:100]] if ids else self._store.of_tab("plays", tab)
        )
        rows = []
        for table in tables:
            if table is not None:
                play = Play.from_table(table)
                size = play.terms.size
                rows.append(
                    {
                        "id": play.id,
                        "title": f"{size}x{size} against {play.opponent}, {len(play.moves)} moves",
                        "when": play.made,
                        "status": play.status,
                    }
                )
        return rows

    def change(self, id: str, what: Callable[[Play, float], None], tab: str, address: str) -> dict[str, Any]:
        """Lets something happen in a game; a refusal has the state with it."""
        live = self._find(id)
        with live.lock:
            before = live.play.version
            try:
                what(live.play, time.time())
            except RefusalError as refusal:
                if live.play.version != before:  # the time was up
                    self._keep(live)
                refusal.fields["state"] = live.play.to_json(time.time())
                raise
            return self._changed(live, tab, address)

    def hint(self, id: str, address: str) -> dict[str, Any]:
        """The best moves here, by the opponent's net; waits for them."""
        live = self._find(id)
        with live.lock:
            game, net = live.play.game(), live.play.net
            if live.play.status != "playing" or game.position().to_move is not live.play.you:
                raise RefusalError(409, "hints are given when it is your turn")
        found: list[dict[str, Any]] = []

        def work(task: Task) -> None:
            for root in search(game, self._nets.open(net), min(HINT_VISITS, self._limits.visits), task):
                found.append(analysis_json(slim(root, game.size), net, game.komi))

        task = self._turns.submit(work, Priority.WAITED, id, address, HINT_SECONDS)
        if not task.ended.wait(2 * HINT_SECONDS) or not found:
            task.stop()
            raise RefusalError(429, "no hint was found in time: try again when the server has less to do")
        return found[-1]

    def sgf(self, id: str) -> str:
        live = self._find(id)
        with live.lock:
            return self._record(live.play)

    @staticmethod
    def _record(play: Play) -> str:
        if play.status != "over" or play.dead is None:
            return play.game().to_sgf()
        score = play.score()
        return play.game().to_sgf(None if score is None else score.owner)

    def to_game(self, id: str, tab: str) -> dict[str, Any]:
        """The game so far as a game to review or to estimate."""
        live = self._find(id)
        with live.lock:
            moves, record = live.play.moves, self._record(live.play)
        if not moves:
            raise RefusalError(409, "no move has been played yet")
        return self._games.add_record(record.encode(), "played.sgf", tab)

    def _find(self, id: str) -> _Live:
        with self._lock:
            if id in self._live:
                self._live.move_to_end(id)
                return self._live[id]
        table = self._store.get("plays", id)
        if table is None:
            raise not_found("game")
        play = Play.from_table(table)
        play.restart_clock(time.time())
        live = _Live(play, self._store.owner("plays", id))
        self._remember(live)
        with self._lock:
            return self._live[id]

    def _remember(self, live: _Live) -> None:
        with self._lock:
            self._live.setdefault(live.play.id, live)
            for id in list(self._live)[: max(0, len(self._live) - MOST_LIVE)]:
                thinking = self._live[id].thinking
                if thinking is None or thinking.ended.is_set():
                    del self._live[id]

    def _keep(self, live: _Live) -> None:
        self._store.put("plays", live.play.id, live.tab, live.play.to_table())

    def _changed(self, live: _Live, tab: str, address: str) -> dict[str, Any]:
        """Stores, tells, and asks the player if something is asked of it. The lock is held."""
        live.tab = tab or live.tab
        self._keep(live)
        if live.thinking is not None:
            live.thinking.stop()
            live.thinking = None
        self._think(live, address)
        state = live.play.to_json(time.time())
        self._hub.publish(live.tab, "play", state)
        return state

    def _think(self, live: _Live, address: str) -> None:
        """Queues the player's move or the count. The lock is held."""
        play = live.play
        if not play.is_thinking or (live.thinking is not None and not live.thinking.ended.is_set()):
            return
        version, game, counts = play.version, play.game(), play.status == "counting"

        def work(task: Task) -> None:
            net = self._nets.open(play.net)
            if counts:
                position = game.position()
                owners = net.evaluate([position])[0].ownership if net.card.has("ownership") else None
                dead = settle(position, owners).dead
                self._apply(live, lambda: play.counted(dead, version))
                return
            with live.player_lock:
                if live.player is None:
                    live.player = self._make_player(play, net)
                self._move(live, live.player, game, version, task)

        seconds = 10 * self._limits.move_seconds
        live.thinking = self._turns.submit(work, Priority.WAITED, play.id, address, seconds, counted=False)

    def _move(self, live: _Live, player: Player, game: Game, version: int, task: Task) -> None:
        play = live.play
        clock = play.clock(play.you.opponent) if play.has_clock else None
        limit = player.settings.limit(timed=clock is not None)
        limit = limit.within(Limit(visits=self._limits.visits, seconds=self._limits.move_seconds))
        decision = player.choose(game, clock, Question(limit, stop=task.is_stopped))
        task.point()
        # Time in which other tasks had the slot is not the player's.
        self._apply(live, lambda: play.decided(decision, version, task.used, time.time()))

    def _apply(self, live: _Live, change: Callable[[], bool]) -> None:
        """Carries out what the player decided, unless the game has changed meanwhile."""
        with live.lock:
            if not change():
                return
            self._keep(live)
            live.thinking = None
            self._think(live, "")  # two passes: the count
            self._hub.publish(live.tab, "play", live.play.to_json(time.time()))
