// Colours by loss: steps in points, and the candidates of a position with what each loses.

import type { Analysis, Candidate, Color } from "../api/types";
import { indexOf, pointOf } from "../board/points";
import type { CandidateMark } from "../board/marks";
import { texts } from "../texts";

/** Upper bounds of the steps 0 to 4, in points; step 5 is above. */
export const lossSteps = [0.3, 1, 2.5, 5, 10] as const;

export function lossStep(points: number): number {
  const step = lossSteps.findIndex((bound) => points < bound);
  return step < 0 ? lossSteps.length : step;
}

const winRateStep = 0.025;

export type Measure = "lead" | "winrate";

/** A candidate from the view of the player to move. */
export interface Judged {
  candidate: Candidate;
  lead: number | null;
  winRate: number | null;
  /** Points worse than the best lead among the well-searched candidates; for a net without leads, from win rates. */
  loss: number;
}

const of = (value: number | null, color: Color): number | null => (value === null ? null : color === "B" ? value : -value);

export function judged(analysis: Analysis, limit = 10): Judged[] {
  const color = analysis.to_move;
  const views = analysis.candidates.slice(0, limit).map((candidate) => ({
    candidate,
    lead: of(candidate.black_lead, color),
    winRate:
      candidate.black_win_rate === null
        ? null
        : color === "B"
          ? candidate.black_win_rate
          : 1 - candidate.black_win_rate,
  }));
  const first = views[0];
  return views.map((view) => {
    let loss = 0;
    if (view.lead !== null && first?.lead != null) loss = first.lead - view.lead;
    else if (view.winRate !== null && first?.winRate != null) loss = (first.winRate - view.winRate) / winRateStep;
    return { ...view, loss: Math.max(0, loss) };
  });
}

export function marksOf(found: Judged[], size: number, measure: Measure): Map<number, CandidateMark> {
  const marks = new Map<number, CandidateMark>();
  found.forEach((one, order) => {
    const point = pointOf(one.candidate.move, size);
    if (!point) return;
    const share = one.winRate === null ? "" : texts.format.percent(one.winRate);
    const lead = one.lead === null ? "" : texts.format.short(one.lead);
    marks.set(indexOf(point, size), {
      loss: order === 0 ? 0 : Math.max(1, lossStep(one.loss)),
      order: order + 1,
      text: (measure === "lead" ? lead || share : share || lead) || texts.format.visits(one.candidate.visits),
      detail: texts.format.visits(one.candidate.visits),
      spoken: texts.review.candidateSpoken(order + 1, one.lead, one.winRate, one.candidate.visits),
    });
  });
  return marks;
}
