// Mistakes under the graph: Black's above the line, White's below; the height is the loss.

import type { Mistake } from "../api/types";
import { texts } from "../texts";
import { turnOf, weightOf } from "./mistakes";

interface MistakeStripProps {
  mistakes: Mistake[];
  total: number;
  turn: number;
  onPick: (turn: number) => void;
}

/** A loss of this many points fills the strip. */
const full = 15;

export function MistakeStrip({ mistakes, total, turn, onPick }: MistakeStripProps) {
  return (
    <div class="strip" role="group" aria-label={texts.review.strip}>
      <span class="stone" data-color="B" aria-hidden="true" />
      <span class="stone" data-color="W" aria-hidden="true" />
      {mistakes.map((mistake) => (
        <button
          key={mistake.number}
          type="button"
          tabIndex={-1}
          data-color={mistake.color}
          data-size={mistake.size}
          data-now={turnOf(mistake) === turn || undefined}
          title={texts.review.mistakeSpoken(mistake)}
          aria-label={texts.review.mistakeSpoken(mistake)}
          style={{
            left: `${(100 * mistake.number) / Math.max(1, total)}%`,
            height: `${8 + 40 * Math.sqrt(Math.min(1, weightOf(mistake) / full))}%`,
          }}
          onClick={() => onPick(turnOf(mistake))}
        />
      ))}
    </div>
  );
}
