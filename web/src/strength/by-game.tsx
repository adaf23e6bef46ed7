import type { StrengthReport } from "../api/types";
import { hrefOf } from "../app/route";
import { texts } from "../texts";
import { Band, placeOf } from "./rank-scale";

export function ByGame({ report }: { report: StrengthReport }) {
  const t = texts.strength;
  return (
    <section>
      <h3>{t.byGame}</h3>
      <ul class="by-game">
        {report.by_game.map((game) => (
          <li key={game.game}>
            <a href={hrefOf("review", game.game)}>{game.file}</a>
            <span class="mini" aria-hidden="true">
              <Band axis={report.axis} interval={game.interval80} kind="wide80" />
              <span class="rank-dot" style={{ left: `${placeOf(report.axis, game.rating)}%` }} />
            </span>
            <strong>{game.rank}</strong>
            <span class="muted small">{t.moves(game.moves)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
