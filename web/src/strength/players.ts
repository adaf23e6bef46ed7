// Who plays in the chosen games, and whether it is clear whose strength is asked for.

import type { GameInfo, PlayerCount } from "../api/types";

export function playersOf(game: GameInfo): PlayerCount[] {
  return [game.black, game.white].filter((name) => name !== null && name !== "").map((name) => ({ name: name!, games: 1 }));
}

export function mergePlayers(known: PlayerCount[], more: PlayerCount[]): PlayerCount[] {
  const counts = new Map(known.map((player) => [player.name, player.games]));
  for (const player of more) counts.set(player.name, (counts.get(player.name) ?? 0) + player.games);
  return Array.from(counts, ([name, games]) => ({ name, games })).sort((a, b) => b.games - a.games);
}

/** The one player of all games, if there are several games and only one such player. */
export function clearPlayer(players: PlayerCount[], games: number): string | null {
  if (games < 2) return null;
  const everywhere = players.filter((player) => player.games >= games);
  return everywhere.length === 1 ? everywhere[0]!.name : null;
}
