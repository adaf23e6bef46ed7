"""Estimates the strength of a player from games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tengen.errors import InputError
from tengen.go.color import Color
from tengen.go.game import Game
from tengen.go.position import Position
from tengen.nets.evaluator import Evaluator
from tengen.progress import Progress, silent
from tengen.progress import Report as ReportProgress
from tengen.ratings.scales import rank_name
from tengen.settings import did_you_mean
from tengen.strength.calibration import Calibration, Interval
from tengen.strength.conversions import EASIER_THAN_KGS, convert, scale_named
from tengen.strength.feature_store import game_key
from tengen.strength.features import BASIC, MAX_POLICY, POLICY, MoveFeatures, features_of, seen
from tengen.strength.groups import GROUPS
from tengen.strength.model import Raw, StrengthModel
from tengen.strength.windows import Floats
from tengen.words import counted

SIZE = 19
FEW_MOVES = 60
TELLING = 5
_BATCH = 64


@dataclass(frozen=True)
class TellingMove:
    """A move's influence on the estimate, in rating units. `number` counts from 1, `game` from 0."""

    game: int
    number: int
    color: Color
    point: int
    vertex: str
    influence: float

    def to_json(self) -> dict[str, Any]:
        return {
            "move": self.number,
            "color": self.color.letter,
            "vertex": self.vertex,
            "influence": self.influence,
        }


@dataclass(frozen=True)
class Estimate:
    """An estimate from moves. `rank` is on the `scale`; `chances` are the probabilities of rank groups, if known.

    `ends` are the lowest and the highest rating that the model knows: players beyond them look like the nearest.
    """

    rating: float
    deviation: float
    interval80: Interval
    interval95: Interval
    rank: str
    scale: str
    moves: int
    games: int
    ends: Interval
    approximate: bool = False
    chances: dict[str, float] = field(default_factory=dict)

    @property
    def ranks80(self) -> tuple[str, str]:
        return _rank(self.interval80.low, self.scale), _rank(self.interval80.high, self.scale)

    @property
    def ranks95(self) -> tuple[str, str]:
        return _rank(self.interval95.low, self.scale), _rank(self.interval95.high, self.scale)

    def beyond(self, rating: float) -> str | None:
        """`weaker` or `stronger` for a rating at an end of the scale, which stands for all beyond it; else None."""
        rank = _rank(rating, self.scale)
        for end, word in zip(self.ends, ("weaker", "stronger"), strict=True):
            if rating == end or (rank and rank == _rank(end, self.scale)):
                return word
        return None

    def words(self, rating: float) -> str:
        """A rating of this estimate as its rank, or as a number where there are no ranks: `2d`, `4k or weaker`."""
        name = _rank(rating, self.scale) or f"{rating:.0f}"
        beyond = self.beyond(rating)
        return f"{name} or {beyond}" if beyond else name

    def range(self, interval: Interval) -> str:
        """An interval in words: `1k to 3d`, `7d to 9d or stronger`; one name where both ends have the same."""
        low, high = self.words(interval.low), self.words(interval.high)
        return low if low == high else f"{low} to {high}"

    def to_json(self) -> dict[str, Any]:
        """Ranks and chances are null where they are not known.

        `beyond` is "weaker" or "stronger" where the rating is at an end of the scale: `4k` means 4k or weaker then.
        """
        return {
            "rating": self.rating,
            "deviation": self.deviation,
            "interval80": list(self.interval80),
            "interval95": list(self.interval95),
            "rank": self.rank or None,
            "ranks80": list(self.ranks80) if self.rank else None,
            "ranks95": list(self.ranks95) if self.rank else None,
            "beyond": self.beyond(self.rating),
            "beyond80": [self.beyond(end) for end in self.interval80],
            "beyond95": [self.beyond(end) for end in self.interval95],
            "ends": list(self.ends),
            "scale": self.scale,
            "approximate": self.approximate,
            "moves": self.moves,
            "games": self.games,
            "chances": self.chances or None,
        }

    @staticmethod
    def from_json(table: Mapping[str, Any]) -> Estimate:
        """What `to_json` wrote; other fields of the table are left alone."""
        same = {key: table[key] for key in ("rating", "deviation", "scale", "moves", "games", "approximate")}
        return Estimate(
            **same,
            interval80=Interval(*table["interval80"]),
            interval95=Interval(*table["interval95"]),
            ends=Interval(*table["ends"]),
            rank=table["rank"] or "",
            chances=table["chances"] or {},
        )


@dataclass(frozen=True)
class Report:
    """A player's estimate from all games and from each game, the moves with most influence, and notes."""

    player: str
    whole: Estimate
    by_game: list[tuple[int, Estimate]]
    raised: list[TellingMove]
    lowered: list[TellingMove]
    notes: list[str]

    def to_json(self, files: Sequence[str]) -> dict[str, Any]:
        """`files` names the games, in the order in which they were given."""
        return {
            "player": self.player,
            **self.whole.to_json(),
            "by_game": [{"file": files[game], **found.to_json()} for game, found in self.by_game],
            "raised": [{"file": files[move.game], **move.to_json()} for move in self.raised],
            "lowered": [{"file": files[move.game], **move.to_json()} for move in self.lowered],
            "notes": self.notes,
        }


@dataclass(frozen=True)
class _Own:
    """One move of the player: the game, and its index in the record from 0."""

    game: int
    at: int


def find_player(games: Sequence[Game], player: str | None = None) -> tuple[str, list[Color | None]]:
    """The player's name, and the player's colour in each game (None: not in this game).

    Without a name, it is the player who is in every game, if there is only one. "black" and "white" choose a side
    where the records have no names.
    """
    names = [(game.black.strip(), game.white.strip()) for game in games]
    if player is None:
        common = set.intersection(*({n.casefold() for n in pair if n} for pair in names)) if names else set()
        if len(common) != 1:
            raise InputError(_ask_for_player(names, common))
        player = next(n for n in names[0] if n.casefold() in common)
    wanted = player.strip().casefold()
    colors: list[Color | None] = []
    for black, white in names:
        is_black, is_white = black.casefold() == wanted, white.casefold() == wanted
        if is_black and is_white:
            raise InputError(
                f"a record names {player} on both sides: choose one with --player black or --player white"
            )
        colors.append(Color.BLACK if is_black else Color.WHITE if is_white else None)
    if not any(colors) and wanted in ("black", "white"):
        return player, [Color.BLACK if wanted == "black" else Color.WHITE] * len(games)
    if not any(colors):
        known = sorted({name for pair in names for name in pair if name})
        listed = ", ".join(known[:6]) + (", ..." if len(known) > 6 else "") or "nobody"
        near = did_you_mean(player, known) or f"; they name {listed}"
        raise InputError(f"{player} plays in none of the games{near}")
    return player, colors


def _ask_for_player(names: list[tuple[str, str]], common: set[str]) -> str:
    if len(common) > 1:
        both = " and ".join(n for n in names[0] if n.casefold() in common)
        where = "the file" if len(names) == 1 else "every file"
        return f"{both} play in {where}: choose one with --player NAME"
    if not any(name for pair in names for name in pair):
        return "the records name no players: choose a side with --player black or --player white"
    return "no player is in all of these files: choose one with --player NAME"


def estimate(
    games: Sequence[Game],
    player: str | None,
    evaluator: Evaluator,
    model: StrengthModel,
    *,
    scale: str | None = None,
    progress: ReportProgress = silent,
    telling: int = TELLING,
) -> Report:
    """The player's strength from all moves, or from the last `window` of them; games are ordered by date.

    Raises InputError if there is nothing to estimate from: no such player, no moves of the player, no game on 19x19.
    """
    model.check_net(evaluator.card)
    calibration, approximate, scale = choose_scale(model, scale)
    name, colors = find_player(games, player)
    notes: list[str] = []
    usable = _usable(games, colors, name, notes)
    chosen, total = recent(games, colors, usable, model.card.window)
    if not chosen:
        raise InputError(f"{name} made no moves in these games: there is nothing to estimate")
    if total > len(chosen):
        notes.append(f"the last {len(chosen):,} of {total:,} moves are looked at")
    if len(chosen) > calibration.evidence.most:
        most = f"{calibration.evidence.most:,.0f}"
        notes.append(f"intervals were tested with up to {most} moves, and are no narrower for more")
    if len(chosen) < FEW_MOVES:
        notes.append(
            f"only {counted(len(chosen), 'move')}: the rank may be anywhere in the interval, which is wide"
        )
    if approximate:
        notes.append(f"the model knows ranks of {model.card.scale}: those of {scale} are a rule of thumb")
    rows = extract(games, chosen, evaluator, model, progress)
    of_game: dict[int, list[int]] = {}
    for i, own in enumerate(chosen):
        of_game.setdefault(own.game, []).append(i)
    # Not in one batch with the whole: padded to its length, the single games would take longer.
    raws = model.estimate([rows]) + model.estimate([rows[places] for places in of_game.values()])
    to = _Scaled(model, calibration, scale, approximate)
    whole = to.estimate(raws[0], len(of_game))
    by_game = sorted(
        ((g, to.estimate(raw, 1)) for g, raw in zip(of_game, raws[1:], strict=True)), key=lambda p: p[0]
    )
    if not calibration.low + 0.5 < calibration.rating(raws[0].number) < calibration.high - 0.5:
        ends = [_rank(to.convert(end), scale) or f"{end:.0f}" for end in (calibration.low, calibration.high)]
        notes.append(
            f"the model has learnt from players of {ends[0]} to {ends[1]}: others look like the nearest"
        )
    told = _telling(games, chosen, model.influence(rows) * to.slope(whole), telling)
    return Report(name, whole, by_game, *told, notes)


def estimate_lines(
    games: Sequence[Game],
    lines: Sequence[Sequence[int]],
    evaluator: Evaluator,
    model: StrengthModel,
    *,
    scale: str | None = None,
    progress: ReportProgress = silent,
) -> list[Estimate]:
    """Estimates from some moves of each game: `lines[i]` are the moves' indices in game i, from 0."""
    model.check_net(evaluator.card)
    for size in {game.size for game in games} - {SIZE}:
        raise InputError(f"a board of {size}x{size}: the strength models are for 19x19 only")
    calibration, approximate, scale = choose_scale(model, scale)
    chosen = [_Own(i, at) for i, line in enumerate(lines) for at in sorted(line, reverse=True)]
    rows = extract(games, chosen, evaluator, model, progress)
    ends = np.cumsum([len(line) for line in lines])[:-1]
    raws = model.estimate(np.split(rows, ends))
    to = _Scaled(model, calibration, scale, approximate)
    return [to.estimate(raw, 1) for raw in raws]


def choose_scale(model: StrengthModel, scale: str | None) -> tuple[Calibration, bool, str]:
    """The calibration to use, whether its result is converted to another scale, and the name of the scale."""
    card = model.card
    if not card.calibrations:
        raise InputError(
            f"the strength model {card.name} has no calibration: `tengen strength export` makes one"
        )
    if scale is None or scale in card.calibrations:
        scale = scale or card.scale
        return card.calibrations[scale], False, scale
    scale_named(scale)
    if card.scale not in EASIER_THAN_KGS:
        raise InputError(
            f"the model {card.name} rates on the scale of its own pool: `tengen strength calibrate --scale {scale}` "
            "fits it to another"
        )
    return card.calibrations[card.scale], True, scale


@dataclass(frozen=True)
class _Scaled:
    """Turns a model's raw output into estimates on a scale."""

    model: StrengthModel
    calibration: Calibration
    scale: str
    approximate: bool

    def convert(self, rating: float) -> float:
        return convert(rating, self.calibration.scale, self.scale) if self.approximate else rating

    def estimate(self, raw: Raw, games: int) -> Estimate:
        rating = self.calibration.rating(raw.number)
        rating = min(max(rating, self.calibration.low), self.calibration.high)
        both = self.calibration.intervals(rating, raw.moves, raw.spread)
        inner, outer = (Interval(self.convert(each.low), self.convert(each.high)) for each in both)
        deviation = self.calibration.deviation(raw.moves, raw.spread)
        if self.approximate:
            deviation = abs(self.convert(rating + deviation) - self.convert(rating - deviation)) / 2
        chances = {}
        if raw.chances is not None:
            chances = dict(zip(GROUPS, raw.chances.tolist(), strict=True))
        rating = self.convert(rating)
        rank = _rank(rating, self.scale)
        return Estimate(
            rating,
            deviation,
            inner,
            outer,
            rank,
            self.scale,
            raw.moves,
            games,
            Interval(self.convert(self.calibration.low), self.convert(self.calibration.high)),
            self.approximate,
            chances,
        )

    def slope(self, estimate: Estimate) -> float:
        """Rating units for one raw unit, near an estimate."""
        if not self.approximate:
            return self.calibration.slope
        step = self.convert(self.calibration.offset + self.calibration.slope)
        return step - self.convert(self.calibration.offset)


def _rank(rating: float, scale: str) -> str:
    try:
        return rank_name(scale_named(scale).rank(rating))
    except InputError:
        return ""  # the ratings of a pool have no ranks


def _usable(games: Sequence[Game], colors: Sequence[Color | None], name: str, notes: list[str]) -> list[int]:
    """The player's games on 19x19; anything unusual about these or other games is added to the notes."""
    own = [i for i, color in enumerate(colors) if color is not None]
    fitting = [i for i in own if games[i].size == SIZE]
    if not fitting:
        sizes = sorted({games[i].size for i in own})
        boards = ", ".join(f"{n}x{n}" for n in sizes)
        raise InputError(f"{name}'s games are on {boards}: the strength models are for 19x19 only")
    if len(fitting) < len(own):
        others = counted(len(own) - len(fitting), "game")
        notes.append(f"left out, on another board than 19x19: {others}")
    once = list({game_key(games[i]): i for i in reversed(fitting)}.values())[::-1]
    if len(once) < len(fitting):
        again = counted(len(fitting) - len(once), "game")
        notes.append(f"there twice, and counted once: {again}")
        fitting = once
    handicap = sum(games[i].handicap > 1 or bool(games[i].setup) for i in fitting)
    if handicap:
        all_of_them = counted(len(fitting), "game")
        notes.append(f"with a handicap: {handicap} of {all_of_them}; the model has learnt from even ones")
    if len(own) < len(games):
        notes.append(f"{name} does not play in {len(games) - len(own)} of the {len(games)} games")
    return fitting


def recent(
    games: Sequence[Game], colors: Sequence[Color | None], usable: Sequence[int], window: int
) -> tuple[list[_Own], int]:
    """The player's last `window` moves, the most recent first, and the total number of moves.

    Games are ordered by date if all have one, else they stay in the given order.
    """
    order = list(usable)
    if all(games[i].day is not None for i in usable):
        order.sort(key=lambda i: _when(games[i]))
    found: list[_Own] = []
    total = 0
    for i in reversed(order):
        places = [
            at
            for at, move in enumerate(games[i].moves)
            if move.color is colors[i] and move.point < SIZE * SIZE
        ]
        total += len(places)
        found += [_Own(i, at) for at in reversed(places)][: window - len(found)]
    return found, total


def _when(game: Game) -> tuple[int, str]:
    day = game.day
    return (day.year, str(day.date or "")) if day else (0, "")


def extract(
    games: Sequence[Game],
    chosen: Sequence[_Own],
    evaluator: Evaluator,
    model: StrengthModel,
    progress: ReportProgress = silent,
) -> Floats:
    """The model's inputs for these moves [n, d_x]."""
    if model.card.inputs != "basic":
        return _seen_before(games, chosen, evaluator, model, progress)
    wanted = list(dict.fromkeys(own.game for own in chosen))
    rows: dict[_Own, Floats] = {}
    done = 0
    for i, features in zip(wanted, features_of([games[i] for i in wanted], evaluator), strict=True):
        inputs = model.inputs(features)
        rows.update({_Own(i, int(n) - 1): row for n, row in zip(features.number, inputs, strict=True)})
        done += sum(own.game == i for own in chosen)
        progress(Progress("looking at moves", done, len(chosen)))
    return np.stack([rows[own] for own in chosen])


def _seen_before(
    games: Sequence[Game],
    chosen: Sequence[_Own],
    evaluator: Evaluator,
    model: StrengthModel,
    progress: ReportProgress,
) -> Floats:
    """The inputs of models that need no evaluation after a move: half the number of evaluations."""
    parts: list[Floats] = []
    for first in range(0, len(chosen), _BATCH):
        part = chosen[first : first + _BATCH]
        moves = [games[own.game].moves[own.at] for own in part]
        positions = []
        for own, move in zip(part, moves, strict=True):
            position = games[own.game].position(own.at)
            position.to_move = move.color
            positions.append(position)
        found = [
            seen(one, move.point)
            for one, move in zip(evaluator.evaluate(positions, trunk=True), moves, strict=True)
        ]
        basic = np.zeros((len(part), len(BASIC)), np.float32)
        basic[:, POLICY] = [one.policy - 0.5 for one in found]
        basic[:, MAX_POLICY] = [one.max_policy - 0.5 for one in found]
        number = np.array([own.at + 1 for own in part], np.int16)
        white = np.array([move.color is Color.WHITE for move in moves])
        trunk, expected = np.stack([one.trunk for one in found]), np.stack([one.expected for one in found])
        parts.append(model.inputs(MoveFeatures(number, white, basic, trunk, expected)))
        progress(Progress("looking at moves", first + len(part), len(chosen)))
    return np.concatenate(parts)


def _telling(
    games: Sequence[Game], chosen: Sequence[_Own], influence: Floats, most: int
) -> tuple[list[TellingMove], list[TellingMove]]:
    """The moves that raised the estimate most, and those that lowered it most."""
    order, board = np.argsort(influence), Position(SIZE)

    def told(i: int) -> TellingMove:
        own = chosen[i]
        move = games[own.game].moves[own.at]
        vertex = board.vertex(move.point)
        return TellingMove(own.game, own.at + 1, move.color, move.point, vertex, float(influence[i]))

    raised = [told(int(i)) for i in order[::-1][:most] if influence[i] > 0]
    lowered = [told(int(i)) for i in order[:most] if influence[i] < 0]
    return raised, lowered
