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

interface ChartProps {
  height: number;
  data: uPlot.AlignedData;
  /** What the chart shows, in a sentence. */
  label: string;
  options: (colours: Colours) => Omit<uPlot.Options, "width" | "height">;
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
