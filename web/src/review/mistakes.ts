import type { Mistake } from "../api/types";

/** The mistakes that the jump keys stop at, in the order of the game. */
function stops(mistakes: Mistake[]): Mistake[] {
  return mistakes.slice().sort((a, b) => a.number - b.number);
}

export function mistakeAfter(mistakes: Mistake[], turn: number): Mistake | undefined {
  return stops(mistakes).find((mistake) => mistake.number > turn);
}

export function mistakeBefore(mistakes: Mistake[], turn: number): Mistake | undefined {
  return stops(mistakes)
    .reverse()
    .find((mistake) => mistake.number < turn);
}

/** Size of a mistake in points; for a net without leads, percent of win rate. */
export function weightOf(mistake: Mistake): number {
  return mistake.points_lost ?? (mistake.win_rate_lost ?? 0) * 100;
}
