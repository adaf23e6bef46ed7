import type { Mistake } from "../api/types";

/** The mistakes that the jump keys stop at, in the order of the game. */
function stops(mistakes: Mistake[]): Mistake[] {
  return mistakes.slice().sort((a, b) => a.number - b.number);
}

/** The position before the mistake: what was better is to be found there. */
export const turnOf = (mistake: Mistake): number => mistake.number - 1;

export function mistakeAfter(mistakes: Mistake[], turn: number): Mistake | undefined {
  return stops(mistakes).find((mistake) => turnOf(mistake) > turn);
}

export function mistakeBefore(mistakes: Mistake[], turn: number): Mistake | undefined {
  return stops(mistakes)
    .reverse()
    .find((mistake) => turnOf(mistake) < turn);
}

/** Size of a mistake in points; for a net without leads, percent of win rate. */
export function weightOf(mistake: Mistake): number {
  return mistake.points_lost ?? (mistake.win_rate_lost ?? 0) * 100;
}
