// What may be drawn on the board beside the stones.

import type { Point, Sign } from "./points";

/** A candidate move. `loss` is 0 (best) to 5 (blunder): the steps of the colours. */
export interface CandidateMark {
  loss: number;
  text: string;
  detail: string;
  /** What a screen reader says after the name of the point. */
  spoken: string;
}

export interface Marks {
  last?: Point | null;
  /** A cross on a stone or point, such as the move played in the game. */
  next?: Point | null;
  /** Stone that is not yet played: a pointer over the point, or a first tap. */
  ghost?: { point: Point; sign: Sign; firm: boolean } | null;
  /** By index of the point. */
  numbers?: Map<number, string>;
  candidates?: Map<number, CandidateMark>;
  /** Rows from the top: 1 Black's for certain, -1 White's. */
  ownership?: number[][] | null;
  dead?: Set<number>;
}
