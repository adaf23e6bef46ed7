// Black's lead or win rate over the moves. Black's share of the picture is dark, White's is light.

import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import type { CurvePoint } from "../api/types";
import { Chart, ChartLine, type ChartOptions, type Colours, plainChart } from "../common/chart";
import { texts } from "../texts";
import type { Measure } from "./losses";

interface LeadGraphProps {
  curve: (CurvePoint | null)[];
  total: number;
  turn: number;
  measure: Measure;
  onPick: (turn: number) => void;
}

const leastLead = 8;
const mostLead = 60;

function options(measure: Measure, colours: Colours): ChartOptions {
  const middle = measure === "lead" ? 0 : 50;
  const fill = (plot: uPlot) => {
    const { top, height } = plot.bbox;
    const zero = Math.min(1, Math.max(0, (plot.valToPos(middle, "y", true) - top) / height));
    const gradient = plot.ctx.createLinearGradient(0, top, 0, top + height);
    gradient.addColorStop(0, colours.black);
    gradient.addColorStop(zero, colours.black);
    gradient.addColorStop(zero, colours.white);
    gradient.addColorStop(1, colours.white);
    return gradient;
  };
  return {
    ...plainChart(colours, (value) => (measure === "lead" ? texts.format.side(value) : `${Math.round(value)}%`)),
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7, fill: colours.accent } },
    scales: {
      x: { time: false },
      y: {
        range: (_, low, high) => {
          if (measure === "winrate") return [0, 100];
          const most = Math.min(mostLead, Math.max(leastLead, Math.abs(low ?? 0), Math.abs(high ?? 0)) * 1.08);
          return [-most, most];
        },
      },
    },
    series: [
      {},
      {
        stroke: colours.ink,
        width: 1.5,
        fill,
        fillTo: () => middle,
        points: { show: false },
        spanGaps: true,
      },
    ],
  };
}

export function LeadGraph({ curve, total, turn, measure, onPick }: LeadGraphProps) {
  const data = useMemo<uPlot.AlignedData>(() => {
    const turns = Array.from({ length: total + 1 }, (_, at) => at);
    const values = turns.map((at) => {
      const point = curve[at];
      if (!point) return null;
      if (measure === "lead") return point.black_lead;
      return point.black_win_rate === null ? null : 100 * point.black_win_rate;
    });
    return [turns, values];
  }, [curve, total, measure]);
  const here = curve[turn];
  return (
    <Chart
      height={190}
      data={data}
      label={texts.review.graphSpoken(measure, turn, here ?? null)}
      identity={`${measure}-${total}`}
      options={(colours) => options(measure, colours)}
      onPick={onPick}
    >
      <ChartLine share={turn / Math.max(1, total)} />
      <p class="graph-value" aria-hidden="true">
        {here ? texts.review.graphValue(measure, here) : ""}
      </p>
    </Chart>
  );
}
