"""
The native core of Tengen. Points are row-major from the top left; size*size is pass.
"""

from collections.abc import Mapping, Sequence
import enum
from typing import Annotated, Any, Self, overload

import numpy
import numpy.typing
from numpy.typing import NDArray


class IllegalMove(ValueError):
    pass

class Rules:
    """
    The rules as the core needs them; see tengen.go.rules for names and presets.
    """

    def __init__(self, ko: int, scoring: int, tax: int, handicap_bonus: int, suicide: bool, friendly_pass: bool, komi: float) -> None: ...

class Position:
    """A board with history, to move and rules; see tengen.Position."""

    @overload
    def __init__(self, size: int, rules: Rules) -> None: ...

    @overload
    def __init__(self, other: Position) -> None: ...

    @property
    def size(self) -> int: ...

    def set_rules(self, rules: Rules) -> None:
        """Changes the rules from here on."""

    @property
    def side(self) -> int:
        """The colour to move: 1 Black, 2 White."""

    @side.setter
    def side(self, arg: int, /) -> None: ...

    def play(self, vertex: int | str) -> Self:
        """
        Plays for the side to move, in place; returns the position itself, so that plays chain.
        A vertex is a point (int) or GTP's name for it ('D4', 'pass'). Raises IllegalMove.
        """

    def play_as(self, color: int, vertex: int | str) -> Self:
        """
        Plays for a colour, whoever's turn it is; the other side is to move after it.
        """

    def play_all(self, moves: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Plays packed moves (point, + 0x8000 for White) one after another."""

    def setup(self, stones: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], to_move: int) -> None:
        """
        Starts anew from the present stones with these packed changes (+ 0x4000 empties a point).
        """

    def undo(self) -> bool:
        """Takes back the last move; False if there is none."""

    def refusal(self, vertex: int | str, color: int) -> str | None:
        """Why the colour may not play there, or None if it may."""

    def legal(self, color: int) -> list[int]:
        """Points the colour may play, in order, and pass last."""

    def stones(self) -> NDArray[numpy.uint8]:
        """uint8 [size, size]: 0 empty, 1 Black, 2 White; the top row first."""

    def moves(self) -> NDArray[numpy.uint16]:
        """The packed moves so far: point, + 0x8000 for White."""

    @property
    def move_number(self) -> int: ...

    @property
    def passes(self) -> int:
        """Passes in a row at the end of the record."""

    @property
    def ko(self) -> int | None:
        """The point simple ko bars now, or None."""

    def captured(self, color: int) -> int:
        """Stones of this colour taken so far."""

    def liberties(self, vertex: int | str) -> int:
        """Liberties of the string there; 0 on an empty point."""

    def string(self, vertex: int | str) -> list[int]:
        """Points of the string there, in no order; none on an empty point."""

    @property
    def hash(self) -> int:
        """Zobrist hash of the stones."""

    @property
    def record_hash(self) -> int:
        """
        Hash of the whole record: the setup, who began, every move. Rules are not in it.
        """

    def symmetric_hash(self, symmetry: int) -> int:
        """The hash of the stones as they lie after a symmetry."""

    @property
    def canonical_hash(self) -> int:
        """The least hash over the eight symmetries: the same for all of them."""

    @property
    def handicap_stones(self) -> int: ...

    @property
    def handicap_bonus(self) -> float:
        """White's points for handicap under these rules."""

def legal_masks(positions: Sequence[Position]) -> NDArray[numpy.uint8]:
    """
    uint8 [n, size*size + 1]: 1 where the side to move may play; pass, the last, always.
    """

def parse_vertex(text: str, size: int) -> int: ...

def format_vertex(point: int, size: int) -> str: ...

def transform_point(point: int, size: int, symmetry: int) -> int:
    """
    Where a symmetry carries a point. Bit 0 flips y, bit 1 flips x, bit 2 then swaps x and y.
    """

class EloCurve(enum.Enum):
    """The curve from a rating difference to an expected score."""

    LOGISTIC = 0

    NORMAL = 1

class EloSettings:
    """The constants of the Elo system; see tengen.ratings.elo."""

    def __init__(self, *, curve: EloCurve, k: float, initial: float, scale: float) -> None: ...

class Glicko2Settings:
    """The constants of the Glicko-2 system; see tengen.ratings.glicko2."""

    def __init__(self, *, tau: float, initial: tuple[float, float, float], rating_bounds: tuple[float, float], deviation_bounds: tuple[float, float], volatility_bounds: tuple[float, float], epsilon: float, use_deviations: bool) -> None: ...

def elo_sweep(black: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], white: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], head_start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], players: int, settings: EloSettings) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    Elo over games in order. Returns predictions (n), ratings before and after each game (n, 2: Black, White), and the players' last ratings.
    """

def glicko2_sweep(black: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], white: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], head_start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], period: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], clock: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], players: int, settings: Glicko2Settings) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    Glicko-2 over games in order. Returns predictions (n); rating and deviation before each game, rating, deviation and volatility after it (n, 2: Black, White); and the players' last ratings (players, 3).
    """

def glicko2_update(player: tuple[float, float, float], opponents: Sequence[tuple[float, float, float]], scores: Sequence[float], settings: Glicko2Settings) -> tuple[float, float, float]:
    """A player's (rating, deviation, volatility) after one rating period."""

def elo_expected(black: float, white: float, head_start: float, settings: EloSettings) -> float:
    """Black's expected score."""

def glicko2_expected(black: tuple[float, float, float], white: tuple[float, float, float], head_start: float, settings: Glicko2Settings) -> float:
    """Black's expected score."""

class WholeHistory:
    """
    A whole-history rating under way, in natural units. See tengen.ratings.whole_history.
    """

    def __init__(self, players: int, *, drift: float, prior_wins: float, rank_worth: float, rank_deviation: float) -> None: ...

    def add(self, black: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], white: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], head_start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], time: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Adds games, none earlier than the last one added."""

    def add_in_turn(self, black: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], white: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], score: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], head_start: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], time: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.int64], NDArray[numpy.float64]]:
        """
        Adds games one by one, each after a Newton step for those of its players who got games since their
        last step. Returns what was known before each game: rating, variance and time of its players' last
        days (n, 2: Black, White; 0, infinity and -1 for a newcomer), and the worth of its head start (n).
        """

    def iterate(self, rounds: int, precision: float = 0.0) -> float:
        """
        Newton steps for all players, until no rating moves by more than the precision; returns the largest
        move of the last round.
        """

    def curves(self) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        Rating and variance of both sides on the day of each game (n, 2: Black, White).
        """

    def advantage(self, head_start: float) -> float:
        """What a head start of so many ranks is worth."""

def playout_statistics(position: Position, n: int, seed: int = 0, policy: str = 'uniform', threads: int = 1) -> dict[str, Any]:
    """
    What n playouts say of a position; tengen.go.playouts gives the result its names and types.
    """

def playout_moves(position: Position, seed: int = 0, policy: str = 'uniform', index: int = 0) -> list[int]:
    """
    The moves of one playout, both sides in turn, pass as size*size: number `index` of those that
    playout_statistics plays for the same seed.
    """

def patterns() -> list[tuple[str, str, bool]]:
    """
    The 3x3 patterns of guided playouts: name, drawing, and whether O may play it as well as X.
    X and O are the colours either way round, * the point to play, . empty, # off the board,
    ? anything, x anything but X, o anything but O.
    """

def matches_pattern(position: Position, point: int) -> bool:
    """Does a pattern speak for the side to move playing here?"""

def wastes_stones(position: Position, point: int) -> bool:
    """
    Would the side to move, playing here, put its own stones in atari to no use?
    """

class TreeSettings:
    """How the PUCT tree searches; native/tree.hpp gives the reasons."""

    def __init__(self, *, c_puct: float = 0.5, c_growth: float = 0.44999998807907104, fpu_reduction: float = 0.10000000149011612, score_weight: float = 0.15000000596046448, spread_weight: float = 0.8500000238418579, lambda_: float = 1.0, rollouts: int = 0, seed: int = 0, memory: int = 268435456) -> None: ...

    @property
    def c_puct(self) -> float: ...

    @property
    def c_growth(self) -> float: ...

    @property
    def fpu_reduction(self) -> float: ...

    @property
    def score_weight(self) -> float: ...

    @property
    def spread_weight(self) -> float: ...

    @property
    def rollouts(self) -> int: ...

    @property
    def seed(self) -> int: ...

    @property
    def memory(self) -> int: ...

class Tree:
    """The PUCT tree over a position. Values are Black's view."""

    def __init__(self, root: Position, komi_labels: Sequence[float], settings: TreeSettings) -> None: ...

    @property
    def visits(self) -> int: ...

    @property
    def nodes(self) -> int: ...

    @property
    def bytes(self) -> int:
        """Bytes the tree takes now."""

    @property
    def bytes_a_node(self) -> int:
        """Bytes of a node with all its priors and its win rates."""

    @property
    def full(self) -> bool:
        """The memory is used up: the tree grows no more."""

    @property
    def komi(self) -> float:
        """
        The komi that is searched for; a change revalues the tree. ValueError for one beyond the labels.
        """

    @komi.setter
    def komi(self, arg: float, /) -> None: ...

    @property
    def komi_labels(self) -> list[float]: ...

    @property
    def win_rate(self) -> float | None:
        """
        Black's win rate at the root and the komi searched for; None before the first visit.
        """

    @property
    def settings(self) -> TreeSettings: ...

    def configure(self, settings: TreeSettings) -> None:
        """
        Takes other settings; another lambda revalues the tree. ValueError for another memory, and for rollouts where the tree has none or none where it has them.
        """

    def margin(self, source: str = 'mixed') -> float | None:
        """
        Black's mean margin at the root, handicap bonus counted, komi not, by source: 'net', 'rollouts', or 'mixed' by lambda. None where the source has no margins.
        """

    @property
    def root(self) -> Position: ...

    @property
    def root_komi(self) -> float:
        """The game's own komi."""

    def restrict(self, color: int, banned: Mapping[int, int]) -> None:
        """
        Bars each of these moves of a colour in nodes less deep than its number; the root is depth 0. An empty table bars none.
        """

    def set_root_noise(self, noise: float) -> None:
        """
        Explores more moves at the root, 0 to 5: flattens the priors there and raises values by chance. 0 is off.
        """

    def set_errors(self, color: int, share: float) -> None:
        """
        Models a weaker opponent: this share of the selections at the nodes of a colour is drawn by the priors. A change starts the tree anew; 0 is off.
        """

    def select(self, batch: int, limit: int) -> int:
        """
        Selects leaves to evaluate, at most `batch`, while visits are below `limit`; their number.
        """

    def leaf(self, i: int) -> Position:
        """The position of a selected leaf."""

    def roll_out(self, threads: int) -> None:
        """Plays the guided rollouts of the selected leaves."""

    def count(self, i: int, margin: float) -> None:
        """
        Sets Black's margin of a selected leaf that two passes ended, handicap bonus counted, komi not. It replaces all values of net and rollouts.
        """

    def expand(self, policy: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], win_by_komi: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, margin: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, score: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        Expands the selected leaves and backs up. float32: policy [n, area + 1], win_by_komi [n, labels], margin [n], the points by which Black is ahead before komi, score [n, 2], mean and mean square of Black's final score before komi; None for what the net does not give.
        """

    def score(self, path: Sequence[int] = []) -> tuple[float, float] | None:
        """
        Mean and deviation of Black's final score before komi, by the net, below the node these moves lead to; None without a visit, or where the net gives no scores.
        """

    def abandon(self) -> None:
        """Forgets the selected leaves."""

    def move_to(self, position: Position) -> int:
        """
        Makes this position the root and keeps what is known of it; returns the visits kept.
        """

    def children(self, path: Sequence[int] = [], unvisited: bool = False) -> list[tuple[int, int, float, float | None, float | None]]:
        """
        (move, N, P, Q, margin) of the children of the node these moves lead to, by falling prior. Q and margin are None without a visit, and where no source knows them.
        """

    def principal_variation(self, path: Sequence[int] = [], limit: int = 1000) -> list[tuple[int, int]]:
        """(move, N) along the most visited line that begins with these moves."""

    def utilities(self) -> list[tuple[int, float, float]]:
        """
        (move, mean, deviation) of the utilities of the root's children with a visit: what selection compares.
        """

    def win_by_komi(self, source: str = 'mixed') -> NDArray[numpy.float64] | None:
        """
        [labels]: the root's mean v_k ('net'), r_k ('rollouts') or w_k = (1 - lambda) r_k + lambda v_k ('mixed'). None before the first visit, and where the source has no win rates.
        """

    def win_rates_at(self, komi: float, source: str = 'mixed') -> tuple[float, list[tuple[int, float]]] | None:
        """
        The root's win rate and (move, win rate) of its children with a visit, at a komi within the labels; what is searched does not change. None as for win_by_komi.
        """

LADDER_NODES: int = 25000

def ladder_is_caught(position: Position, point: int, color: int, node_limit: int = 25000) -> int:
    """
    Is the string at `point` caught when `color` plays first? 0 no, 1 yes, 2 the limit was met.
    """

def ladder_catches(position: Position, point: int, color: int, node_limit: int = 25000) -> int:
    """
    Does a play of `color` at `point` catch an enemy string of two liberties?
    """

def ladder_escapes(position: Position, point: int, color: int, node_limit: int = 25000) -> int:
    """Does a play of `color` at `point` save a string of its own from atari?"""

def ladder_is_lost(position: Position, point: int, color: int, node_limit: int = 25000) -> int:
    """
    Is the string that a play of `color` at `point` makes caught, the enemy to play?
    """

def ladder_threatens(position: Position, point: int, color: int, node_limit: int = 25000) -> int:
    """
    Is an enemy string next to a play of `color` at `point` caught after it?
    """

def ladder_may_escape(position: Position, point: int, node_limit: int = 25000) -> int:
    """Is the string at `point` not caught when its owner plays first?"""

def ladder_catching_moves(position: Position, point: int, node_limit: int = 25000) -> list[int]:
    """
    The liberties of a string of two liberties whose play is known to catch it.
    """

def pass_alive(position: Position, color: int) -> tuple[NDArray[numpy.uint8], NDArray[numpy.uint8]]:
    """
    Two uint8 [size, size] of 0 and 1: the colour's pass-alive stones, and its pass-alive territory.
    """

def count(position: Position, dead: Sequence[int]) -> tuple[NDArray[numpy.uint8], list[int], list[int]]:
    """
    Counts under the position's rules, the strings at `dead` taken off. Returns the owners, uint8
    [size, size], and for Black and White [points before komi, live stones, territory, stones lost, tax].
    """

def katago_area(position: Position, suicide: bool, tax: bool = False) -> NDArray[numpy.uint8]:
    """KataGo's area map: owners, uint8 [size, size]."""

def katago_territory(position: Position, suicide: bool, tax: bool, start: Position) -> NDArray[numpy.uint8]:
    """
    KataGo's map in the second clean-up phase that began at `start`: owners, uint8 [size, size].
    """

class SgfGame:
    """The main line of one SGF game; see tengen.Game.from_sgf."""

    @property
    def size(self) -> int: ...

    @property
    def player(self) -> int:
        """Who is first to move by PL: 1 Black, 2 White, 0 not written."""

    @property
    def setup(self) -> Annotated[NDArray[numpy.uint16], dict(writable=False)]:
        """Packed stones before the first move, in order of points."""

    @property
    def moves(self) -> Annotated[NDArray[numpy.uint16], dict(writable=False)]:
        """Packed moves; those before a fault if there is one."""

    @property
    def root(self) -> list[tuple[str, str]]:
        """Name and text of every value of the root node, in order."""

    @property
    def fault(self) -> str | None:
        """Why the game is not usable, or None."""

    @property
    def fault_move(self) -> int:
        """Number of the move at fault, from 1; 0 before the first."""

    @property
    def line(self) -> int:
        """Line of the fault, from 1."""

    @property
    def column(self) -> int:
        """Byte of the fault in its line, from 1."""

    @property
    def suicide(self) -> int:
        """First move by which several stones took their own life; 0 if none."""

def read_sgf_game(data: bytes) -> SgfGame | None:
    """
    The first game of an SGF file in UTF-8 or Latin-1; None if there is none.
    """

def sgf_main_line(data: bytes) -> list[list[tuple[str, bytes]]]:
    """
    Every node of the first game's main line: names and raw values, in order. Raises ValueError.
    """

class SgfBatch:
    """Many games in columns; see native/sgf.hpp. Arrays are one a game."""

    def __len__(self) -> int: ...

    @property
    def entry(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """int32: index of the entry it stands in."""

    @property
    def line(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """int32: line in the entry where it starts, from 1."""

    @property
    def fault(self) -> Annotated[NDArray[numpy.uint8], dict(writable=False)]:
        """uint8: index into sgf_faults(); 0 is none."""

    @property
    def fault_move(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """int32: number of the move at fault, or 0."""

    @property
    def suicide(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """int32: first suicide of several stones, or 0."""

    @property
    def out_of_turn(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """int32: first move by the side that moved before, or 0."""

    @property
    def size(self) -> Annotated[NDArray[numpy.uint8], dict(writable=False)]:
        """uint8: board size."""

    @property
    def first_to_move(self) -> Annotated[NDArray[numpy.uint8], dict(writable=False)]:
        """uint8: 1 Black, 2 White."""

    @property
    def moves(self) -> Annotated[NDArray[numpy.uint16], dict(writable=False)]:
        """uint16: packed moves of all games."""

    @property
    def move_offsets(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
        """int64 [n + 1]: game i has moves[o[i]:o[i + 1]]."""

    @property
    def setup(self) -> Annotated[NDArray[numpy.uint16], dict(writable=False)]:
        """uint16: packed setup stones of all games."""

    @property
    def setup_offsets(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
        """int64 [n + 1]."""

    @property
    def ids(self) -> Annotated[NDArray[numpy.uint64], dict(writable=False)]:
        """uint64 [n, 2]: what was played by whom; equal for duplicates."""

    def texts(self, property: str) -> tuple[numpy.typing.NDArray[numpy.int32], list[str]]:
        """
        A root property of all games: codes (int32, one a game) and the texts they stand for.
        """

def read_sgf(data: bytes, bounds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, threads: int = 1) -> SgfBatch:
    """
    Reads and checks every game of the entries data[bounds[i]:bounds[i + 1]]; without bounds, of the lines.
    """

def sgf_faults() -> list[str]:
    """What the codes in SgfBatch.fault stand for."""

def replay(moves: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], size: int, rules: Rules, checked: bool = True) -> NDArray[numpy.uint32]:
    """
    Plays games of packed moves, game i being moves[offsets[i]:offsets[i+1]], each from the empty board.
    The number of moves played in each: all, or those before the first illegal one. Without `checked`
    nothing is asked, which is for moves known to be legal.
    """

def encodings() -> list[str]:
    """The names of all encodings."""

def encoding_tables(name: str) -> tuple[str, list[tuple[str, str]], list[tuple[str, str]]]:
    """
    Source, planes and globals of an encoding; each channel is (name, meaning).
    """

def encode_positions(name: str, positions: Sequence[Position], symmetries: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, planes: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu')], globals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Writes to planes [batch, planes, size, size] and globals [batch, globals].
    """

def encode_records(name: str, sizes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], moves: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], move_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], setup: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], setup_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], komi: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_to_move: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], rules: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], rules_table: Sequence[Rules], games: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], move_numbers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], symmetries: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, planes: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu')], globals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu')], targets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Writes planes and globals as encode_positions, and targets [batch]: the moves played, after the symmetry.
    """

def make_falling(curves: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """
    Replaces each row of float64 [n, labels] by the nearest one, by least squares, that never rises.
    """

def find_placements(size: int, points: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], colors: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], to_move: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], moves: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], move_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], setup: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], setup_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], first_to_move: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], begin: int, end: int, threads: int) -> NDArray[numpy.int64]:
    """
    Where placements (points that must be empty 0, Black 1 or White 2) are on the board of games begin to end.
    Rows (game, moves played, placement) [n, 3]: the first moment of each placement in each game, with the side
    to_move (0 either) to play.
    """

class TrunkBlock:
    """A block of a residual net, its convolutions in 16-bit integers."""

    @staticmethod
    def ordinary(scale: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], act: str, conv1: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu', writable=False)], bias2: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], act2: str, conv2: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu', writable=False)]) -> TrunkBlock:
        """
        conv2(act2(conv1(act(scale * x + bias)) + bias2)); kernels [ky, kx, in, out], 1x1 or 3x3.
        """

    @staticmethod
    def pooling(scale: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], act: str, conv1: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu', writable=False)], pool_bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], pool_act: str, pool_matrix: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], bias2: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], act2: str, conv2: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu', writable=False)]) -> TrunkBlock:
        """
        As ordinary, but the last outputs of conv1, of which pool_bias tells how many, only give a bias for the others: pool_matrix [3 * pooled, others] of their mean, mean * (size - 14) / 10 and maximum.
        """

    @staticmethod
    def nested(scale: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], act: str, conv1: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu', writable=False)], blocks: Sequence[TrunkBlock], scale2: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], bias2: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], act2: str, conv2: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu', writable=False)]) -> TrunkBlock:
        """
        Blocks on the outputs of conv1, between it and conv2(act2(scale2 * x + bias2)).
        """

class SparseConv:
    """
    The first convolution of a net, which multiplies only what is not zero.
    """

    def __init__(self, weight: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu', writable=False)]) -> None:
        """weight: float32 [ky, kx, planes, channels]."""

    def run(self, planes: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu')], bias: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int = 1) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None))]:
        """
        float32 [count, size, size, channels] from planes [count, planes, size, size], bias [count, channels] added.
        """

class Trunk:
    """
    The blocks of a residual net or the layers of a plain one, one after the other.
    """

    def __init__(self, channels: int, blocks: Sequence[TrunkBlock]) -> None: ...

    @staticmethod
    def plain(bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], convs: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu', writable=False)]], biases: Sequence[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> Trunk:
        """
        Of a net without blocks: relu(x + bias) of the first convolution x, then relu(conv(z) + bias) for each layer.
        """

    @property
    def channels(self) -> int: ...

    def run(self, stream: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None, None), order='C', device='cpu')], threads: int = 1) -> None:
        """
        Runs all of it over the stream float32 [count, size, size, channels], in place.
        """

def winograd_convolve(x: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], kernels: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')], bias: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)] | None = None, threads: int = 1) -> None:
    """
    Fills y float32 [count, size, size, outputs] from x and transformed kernels [36, panels, inputs, 16].
    """

def winograd_kernel_gradient(x: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], gradient: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], kernels: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')], threads: int = 1) -> None:
    """
    Fills the gradient [36, inputs, 16 * panels] of the transformed kernels.
    """

def norm_statistics(x: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], variance: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int = 1) -> None:
    """
    Fills mean and variance, float64 [channels], of x float32 [..., channels].
    """

def norm_relu(x: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')], threads: int = 1) -> None:
    """
    Fills y with max(scale * x + shift, 0); x and y float32 [..., channels], the others [channels].
    """

def norm_relu_sums(x: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], gradient: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], mean: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], sum: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], product: Annotated[NDArray[numpy.float64], dict(order='C', device='cpu')], threads: int = 1) -> None:
    """
    Fills the sums of g and g * (x - mean), float64 [channels]; g is the gradient where scale * x + shift > 0, else 0.
    """

def norm_relu_gradient(x: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], gradient: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], shift: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], own: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], along: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], all: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], dx: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')], threads: int = 1) -> None:
    """Fills dx with g * own + x * along + all; the factors are [channels]."""

def response_norm(x: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], y: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')], reach: int, factor: float, threads: int = 1) -> None:
    """
    Fills y with r / (1 + factor * sum of r^2 over channels within reach)^(3/4), r = max(x, 0); float32 [..., channels].
    """

def response_norm_gradient(x: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], gradient: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], dx: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu')], reach: int, factor: float, threads: int = 1) -> None:
    """Fills dx from x and the gradient of y."""

def draw_moves(positions: Sequence[Position], logits: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], symmetries: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], temperatures: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple[NDArray[numpy.int32], NDArray[numpy.uint8]]:
    """
    Plays a move in each position, drawn from softmax(logits / temperature) over the playable moves, or a pass.
    Playable: legal, and neither an own eye nor in anyone's pass-alive territory. A pass: no such move does more
    than put own stones in atari. logits float32 [n, moves] are in the symmetries uint8 [n]; seeds uint64 [n],
    temperatures float32 [n]. Returns the moves int32 [n] and the playable ones uint8 [n, area], in the symmetries.
    """

def playable_moves(position: Position) -> tuple[NDArray[numpy.uint8], bool]:
    """
    uint8 [area] of 0 and 1: what draw_moves may draw; and whether one of them does more than put own stones in atari.
    """

def glimpses(encoding: str, positions: Sequence[Position], points: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], near_planes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], far_planes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], near: int, cells: int, cell: int, threads: int = 1) -> tuple[NDArray[numpy.float32], NDArray[numpy.float32]]:
    """
    What is seen around a point (int32 [n]) of each position: the near planes (uint8, indices of the encoding's)
    at near x near points, float32 [n, near planes + 1, near, near]; the far planes as means over cells x cells squares
    of cell x cell points, float32 [n, far planes + 1, cells, cells]. The last plane of each is 1 off the board.
    """
