import { hasMoved } from "../common/pointer";
import { texts } from "../texts";
import { lossStep, type Judged } from "./losses";

interface CandidatesProps {
  found: Judged[];
  waiting: boolean;
  onPreview: (move: string | null) => void;
  onPlay: (move: string) => void;
}

const shown = 5;

export function Candidates({ found, waiting, onPreview, onPlay }: CandidatesProps) {
  const t = texts.review;
  const rows = found.slice(0, shown);
  return (
    <div class="candidates">
      <div class="candidates-head muted small" aria-hidden="true">
        <span>{t.columns.move}</span>
        <span>{t.columns.lead}</span>
        <span>{t.columns.winRate}</span>
        <span>{t.columns.visits}</span>
      </div>
      <ol>
        {rows.map(({ candidate, lead, winRate, loss }, order) => (
          <li key={candidate.move}>
            <button
              type="button"
              aria-label={`${candidate.move}: ${t.candidateSpoken(order + 1, lead, winRate, candidate.visits)}`}
              onClick={() => onPlay(candidate.move)}
              onPointerMove={(event) => hasMoved(event) && onPreview(candidate.move)}
              onPointerLeave={() => onPreview(null)}
              onFocus={() => onPreview(candidate.move)}
              onBlur={() => onPreview(null)}
            >
              <span>
                <i class="swatch order" data-loss={order === 0 ? 0 : Math.max(1, lossStep(loss))}>
                  {order + 1}
                </i>
                {candidate.move}
              </span>
              <span>{lead === null ? "–" : texts.format.signed(lead)}</span>
              <span>{winRate === null ? "–" : texts.format.percent(winRate)}</span>
              <span>{texts.format.visits(candidate.visits)}</span>
            </button>
          </li>
        ))}
        {Array.from({ length: shown - rows.length }, (_, order) => (
          <li key={`empty-${order}`} class="empty" aria-hidden="true">
            {waiting && rows.length === 0 && order === 0 ? t.waiting : ""}
          </li>
        ))}
      </ol>
    </div>
  );
}
