// The band of an estimate on the scale of ranks.

import type { Interval, StrengthReport } from "../api/types";
import { useWidth } from "../board/use-size";
import { texts } from "../texts";

const labelWidth = 52;

export function placeOf(axis: StrengthReport["axis"], rating: number): number {
  const share = (rating - axis.low) / (axis.high - axis.low);
  return 100 * Math.min(1, Math.max(0, share));
}

export function Band({ axis, interval, kind }: { axis: StrengthReport["axis"]; interval: Interval; kind: string }) {
  const left = placeOf(axis, interval[0]);
  const right = placeOf(axis, interval[1]);
  return <span class={`band ${kind}`} style={{ left: `${left}%`, width: `${Math.max(0.5, right - left)}%` }} />;
}

/** Names of ranks under a scale, as many as there is room for. */
export function RankTicks({ axis }: { axis: StrengthReport["axis"] }) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const every = Math.max(1, Math.ceil((axis.ticks.length * labelWidth) / Math.max(width, 1)));
  return (
    <div class="rank-ticks" ref={ref} aria-hidden="true">
      {axis.ticks.map((tick, index) => (
        <span key={tick.rank} style={{ left: `${placeOf(axis, tick.rating)}%` }}>
          {index % every === 0 ? tick.rank : ""}
        </span>
      ))}
    </div>
  );
}

export function RankScale({ report }: { report: StrengthReport }) {
  const { axis } = report;
  return (
    <div class="rank-scale" role="img" aria-label={texts.strength.scaleSpoken(report)}>
      <div class="rank-track">
        <Band axis={axis} interval={report.interval95} kind="wide95" />
        <Band axis={axis} interval={report.interval80} kind="wide80" />
        <span class="rank-dot" style={{ left: `${placeOf(axis, report.rating)}%` }} />
      </div>
      <RankTicks axis={axis} />
      <p class="rank-key muted small" aria-hidden="true">
        <i class="key80" /> {texts.strength.key80} <i class="key95" /> {texts.strength.key95}
      </p>
    </div>
  );
}
