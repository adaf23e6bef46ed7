// The largest mistakes of both players.

import type { ReviewState } from "../api/types";
import { texts } from "../texts";
import { turnOf, weightOf } from "./mistakes";

const shown = 8;

interface MistakeListProps {
  review: ReviewState | null;
  turn: number;
  onPick: (turn: number) => void;
}

export function MistakeList({ review, turn, onPick }: MistakeListProps) {
  const t = texts.review;
  const largest = (review?.mistakes ?? [])
    .slice()
    .sort((a, b) => weightOf(b) - weightOf(a))
    .slice(0, shown);
  return (
    <section class="card" aria-label={t.mistakes}>
      <div class="card-head">
        <h2>{t.mistakes}</h2>
        {review && <p class="muted small">{t.meanLoss(review.mean_loss)}</p>}
      </div>
      {largest.length === 0 && <p class="muted">{review?.phase === "done" ? t.noMistakes : t.waiting}</p>}
      <ol class="mistakes">
        {largest.map((mistake) => (
          <li key={mistake.number}>
            <button
              type="button"
              aria-pressed={turnOf(mistake) === turn}
              aria-label={t.mistakeSpoken(mistake)}
              onClick={() => onPick(turnOf(mistake))}
            >
              <span class="stone" data-color={mistake.color} aria-hidden="true" />
              <span>{texts.strength.moveName(mistake.number, mistake.vertex)}</span>
              <span class="muted">{t.better(mistake.best)}</span>
              <strong data-size={mistake.size}>{t.loss(mistake)}</strong>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
