import type { ComponentChildren } from "preact";
import type { Influence, StrengthReport } from "../api/types";
import { texts } from "../texts";

interface MovesProps {
  report: StrengthReport;
  shown: Influence | null;
  onShow: (move: Influence) => void;
  children?: ComponentChildren;
}

export function MovesThatMattered({ report, shown, onShow, children }: MovesProps) {
  const t = texts.strength;
  const most = Math.max(...[...report.raised, ...report.lowered].map((move) => Math.abs(move.influence)), 1e-9);
  const list = (moves: Influence[], kind: "raised" | "lowered") => (
    <div class="influence">
      <h4>{t[kind]}</h4>
      {moves.length === 0 && <p class="muted small">{t.none}</p>}
      <ol>
        {moves.map((move) => (
          <li key={`${move.game}-${move.move}`}>
            <button
              type="button"
              aria-pressed={shown?.game === move.game && shown.move === move.move}
              aria-label={t.showMove(move)}
              onClick={() => onShow(move)}
            >
              <span class="stone" data-color={move.color} aria-hidden="true" />
              <span class="influence-name">
                {t.moveName(move.move, move.vertex)}
                {report.games > 1 && <span class="muted small"> {move.file}</span>}
              </span>
              <span class="bar" data-kind={kind} aria-hidden="true">
                <i style={{ width: `${(100 * Math.abs(move.influence)) / most}%` }} />
              </span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
  if (report.raised.length + report.lowered.length === 0) return null;
  return (
    <section>
      <h3>{t.mattered}</h3>
      <p class="muted small">{t.matteredHelp}</p>
      {children}
      <div class="pair">
        {list(report.lowered, "lowered")}
        {list(report.raised, "raised")}
      </div>
    </section>
  );
}
