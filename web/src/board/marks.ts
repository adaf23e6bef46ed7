// What may be drawn on the board beside the stones.

import type { Point, Sign } from "./points";

/** A candidate move. `loss` is 0 (best) to 5 (blunder): the steps of the colours. */
export interface CandidateMark {
  loss: number;
  /** 1 is the best; a small board shows this instead of the text. */
  order: number;
  text: string;
  detail: string;
  /** What a screen reader says after the name of the point. */
  spoken: string;
}

export interface Marks {
  last?: Point | null;
  /** The next move of the game, and how bad it is. */
  next?: { point: Point; size: "good" | "small" | "medium" | "big" } | null;
  /** Stone that is not yet played: a pointer over the point, or a first tap. */
  ghost?: { point: Point; sign: Sign; firm: boolean } | null;
  /** By index of the point. */
  numbers?: Map<number, string>;
  candidates?: Map<number, CandidateMark>;
  /** Rows from the top: 1 Black's for certain, -1 White's. */
  ownership?: number[][] | null;
  dead?: Set<number>;
}
