"""Players of known strength, their games, and features that show it: what a small model can learn in seconds."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from tengen.games.importing import import_games
from tengen.games.store import GameStore
from tengen.strength.feature_store import FeatureStore, game_key
from tengen.strength.features import MoveFeatures

CHANNELS = 4
RANKS = ("4k", "2k", *(f"{dan}d" for dan in range(1, 10)))
# Every other point of every other line: no stone of these is ever taken.
SPARSE = [(x, y) for x in range(0, 19, 2) for y in range(0, 19, 2)]


def made_sgf(black: int, white: int, winner: str, number: int, moves: int, ranks: tuple[str, str]) -> str:
    chance = random.Random(number)
    points = chance.sample(SPARSE, moves)
    nodes = "".join(f";{'BW'[n % 2]}[{chr(97 + x)}{chr(97 + y)}]" for n, (x, y) in enumerate(points))
    passes = ";B[];W[]" if moves >= 50 else ""  # an earlier one would make the game unfit for a draft
    day = f"{2010 + number // 336}-{number // 28 % 12 + 1:02}-{number % 28 + 1:02}"
    return (
        f"(;GM[1]FF[4]SZ[19]KM[6.5]RU[Japanese]PB[p{black}]PW[p{white}]BR[{ranks[0]}]WR[{ranks[1]}]"
        f"DT[{day}]RE[{winner}+3.5]{nodes}{passes})"
    )


def made_pool(
    folder: Path, players: int, games: int, seed: int = 0, moves: int = 24
) -> tuple[Path, np.ndarray]:
    """A pool of games in date order, results by Bradley-Terry, and the players' strengths in normal units."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 1.5, players)
    lines = []
    for number in range(games):
        black, white = rng.choice(players, 2, replace=False).tolist()
        wins = rng.random() < 1 / (1 + np.exp(-2 * (strength[black] - strength[white])))
        lines.append(made_sgf(black, white, "B" if wins else "W", number, moves, ("5d", "5d")))
    return _write(folder, lines), strength


def made_ranked_pool(folder: Path, players: int, games: int, moves: int = 44) -> tuple[Path, np.ndarray]:
    """`players` of each of the eleven groups, each with so many games against others of his group."""
    lines = []
    strength = np.repeat(np.linspace(-2, 2, len(RANKS)), players)
    for group, rank in enumerate(RANKS):
        for number in range(players * games // 2):
            black = group * players + number % players
            white = group * players + (number + 1 + number // players) % players
            if black == white:
                white = group * players + (black + 1) % players
            where = group * players * games + number
            lines.append(made_sgf(black, white, "BW"[number % 2], where, moves, (rank, rank)))
    return _write(folder, lines), strength


def _write(folder: Path, lines: list[str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "games.sgfs").write_text("\n".join(lines))
    import_games([folder / "games.sgfs"], folder / "pool.parquet")
    return folder / "pool.parquet"


def made_features(store: GameStore, strength: np.ndarray, folder: Path, net: str, noise: float = 1.0) -> None:
    """Every move's first channel is its player's strength with noise; the others are noise."""
    rng = np.random.default_rng(1)
    with FeatureStore(folder, net) as kept:
        for game in store:
            players = [int(game.black[1:]), int(game.white[1:])]
            real = [(n + 1, m.color.letter == "W") for n, m in enumerate(game.moves) if m.point < 361]
            white = np.array([w for _, w in real])
            signal = strength[np.array(players)[white.astype(int)]]
            trunk = rng.normal(0, noise, (len(real), CHANNELS))
            trunk[:, 0] += signal
            basic = np.zeros((len(real), 6), np.float32)
            basic[:, 5] = 0.1 * (2 - 0.5 * signal + rng.normal(0, 1, len(real)))
            number = np.array([n for n, _ in real], np.int16)
            vectors = trunk.astype(np.float16), np.zeros_like(trunk, np.float16)
            kept.put(game_key(game), MoveFeatures(number, white, basic, *vectors))
