// Two players on one scale.

import type { StrengthReport } from "../api/types";
import { texts } from "../texts";
import { Band, placeOf, RankTicks } from "./rank-scale";

export function Compared({ reports }: { reports: StrengthReport[] }) {
  const axes = reports.map((report) => report.axis);
  const widest = axes.reduce((a, b) => (b.high - b.low > a.high - a.low ? b : a));
  const axis = {
    low: Math.min(...axes.map((one) => one.low)),
    high: Math.max(...axes.map((one) => one.high)),
    ticks: widest.ticks,
  };
  return (
    <section class="card compared" aria-label={texts.strength.compared}>
      <h2>{texts.strength.compared}</h2>
      <ul>
        {reports.map((report) => (
          <li key={report.player}>
            <span>
              {report.player} <strong>{report.rank_words}</strong>
            </span>
            <span class="mini" role="img" aria-label={texts.strength.scaleSpoken(report)}>
              <Band axis={axis} interval={report.interval80} kind="wide80" />
              <span class="rank-dot" style={{ left: `${placeOf(axis, report.rating)}%` }} />
            </span>
          </li>
        ))}
      </ul>
      <RankTicks axis={axis} />
    </section>
  );
}
