// Black's win rate for every komi, at the position on screen.

import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import type { Analysis } from "../api/types";
import { Chart, ChartLine, type ChartOptions, type Colours, plainChart } from "../common/chart";
import { texts } from "../texts";

function options(colours: Colours): ChartOptions {
  return {
    ...plainChart(colours, (value) => `${value}%`),
    cursor: { show: false },
    scales: { x: { time: false }, y: { range: [0, 100] } },
    series: [{}, { stroke: colours.accent, width: 2, points: { show: false } }],
  };
}

/** Where the curve falls, with the game's komi: the rest is flat. */
function interesting(labels: number[], rates: number[], komi: number): [number, number] {
  const near = (at: number) => Math.abs(labels[at]! - komi) <= 12 || (rates[at]! > 0.01 && rates[at]! < 0.99);
  const within = labels.map((_, at) => at).filter(near);
  const from = within[0] ?? 0;
  const to = (within[within.length - 1] ?? labels.length - 1) + 1;
  return [from, to];
}

export function KomiCurve({ analysis }: { analysis: Analysis | null }) {
  const labels = analysis?.komi_labels ?? [];
  const rates = analysis?.black_win_rate_by_komi ?? [];
  const data = useMemo<uPlot.AlignedData>(() => {
    if (!analysis || labels.length < 2) return [[-10, 10], [null, null]];
    const [from, to] = interesting(labels, rates, analysis.komi);
    return [labels.slice(from, to), rates.slice(from, to).map((rate) => 100 * rate)];
  }, [analysis]);
  const low = data[0][0] ?? 0;
  const high = data[0][data[0].length - 1] ?? 1;
  const komi = analysis?.komi ?? null;
  const place = komi === null ? null : (komi - low) / (high - low);
  const known = labels.length >= 2;
  return (
    <>
      <Chart
        height={140}
        data={data}
        label={known ? texts.review.komiSpoken(analysis!) : texts.review.noKomi}
        identity="komi"
        options={options}
      >
        {known && place !== null && place >= 0 && place <= 1 && (
          <ChartLine share={place} />
        )}
      </Chart>
      <p class="muted small">
        {!analysis ? texts.review.waiting : known ? texts.review.komiHelp(analysis) : texts.review.noKomi}
      </p>
    </>
  );
}
