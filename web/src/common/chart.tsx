// A uPlot chart that follows its width and the theme.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useTheme } from "../app/theme";
import { useWidth } from "../board/use-size";

export interface Colours {
  ink: string;
  muted: string;
  line: string;
  accent: string;
  black: string;
  white: string;
}

/** The colours of the theme as the canvas takes them: without light-dark() and variables. */
function coloursOf(parent: Element): Colours {
  const probe = document.createElement("i");
  parent.append(probe);
  const read = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = {
    ink: read("ink"),
    muted: read("muted"),
    line: read("line"),
    accent: read("accent"),
    black: read("area-black"),
    white: read("area-white"),
  };
  probe.remove();
  return colours;
}

/** Space for labels at the left, and at the right, in CSS pixels; review.css uses the same for the strip. */
const left = 44;
const right = 10;

export type ChartOptions = Omit<uPlot.Options, "width" | "height">;

/** What the charts share: quiet axes with names of values at the left, no legend. */
export function plainChart(colours: Colours, name: (value: number) => string): ChartOptions {
  const axis = { stroke: colours.muted, font: "12px Inter, sans-serif", ticks: { show: false } };
  return {
    padding: [8, right, 0, 0],
    legend: { show: false },
    axes: [
      { ...axis, grid: { show: false }, size: 22, gap: 2, space: 46 },
      {
        ...axis,
        grid: { stroke: colours.line, width: 1 },
        size: left,
        gap: 6,
        values: (_, values) => values.map(name),
      },
    ],
    series: [],
  };
}

/** A line at a share of the x axis. */
export function ChartLine({ share }: { share: number }) {
  return <span class="graph-now" style={{ left: `calc(${left}px + (100% - ${left + right}px) * ${share})` }} />;
}

interface ChartProps {
  height: number;
  data: uPlot.AlignedData;
  /** What the chart shows, in a sentence. */
  label: string;
  options: (colours: Colours) => ChartOptions;
  /** A change of these makes the chart anew; other changes only redraw it. */
  identity: string;
  onPick?: (index: number) => void;
  children?: ComponentChildren;
}

export function Chart({ height, data, label, options, identity, onPick, children }: ChartProps) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const theme = useTheme();
  const chart = useRef<uPlot | null>(null);
  const pick = useRef(onPick);
  pick.current = onPick;

  useEffect(() => {
    const element = ref.current;
    if (!element || width === 0) return undefined;
    const made = new uPlot({ ...options(coloursOf(element)), width, height }, data, element);
    chart.current = made;
    const click = () => {
      if (made.cursor.idx != null) pick.current?.(made.cursor.idx);
    };
    made.over.addEventListener("click", click);
    return () => {
      made.destroy();
      chart.current = null;
    };
  }, [identity, theme, height, width === 0]);
  useEffect(() => {
    if (chart.current && chart.current.width !== width) chart.current.setSize({ width, height });
  }, [width]);
  useEffect(() => chart.current?.setData(data), [data]);

  return (
    <div class="chart" style={{ height: `${height}px` }} data-pick={onPick ? "" : undefined}>
      <div class="chart-plot" ref={ref} role="img" aria-label={label} />
      {children}
    </div>
  );
}
