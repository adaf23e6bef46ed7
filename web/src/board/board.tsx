// The board: Shudan draws wood, lines and stones; a layer of named buttons on top takes pointers, keys and marks.

import { Goban } from "@sabaki/shudan";
import { useMemo } from "preact/hooks";
import type { Marks } from "./marks";
import { PointLayer } from "./point-layer";
import { columnName, indexOf, type Point, type Sign } from "./points";
import { useTravel } from "./travel";
import { useWidth } from "./use-size";

/** Width of the strip of coordinates, in widths of a field. */
function marginOf(size: number): number {
  return size > 13 ? 0.9 : size > 9 ? 0.7 : 0.55;
}

export interface BoardProps {
  size: number;
  signs: Sign[][];
  marks?: Marks;
  label: string;
  /** Arrow keys move the focus from point to point. */
  roving?: boolean;
  onPoint?: (point: Point, how: "mouse" | "touch" | "key") => void;
  onHover?: (point: Point | null) => void;
  /** A wheel or a swipe: 1 forward, -1 back. */
  onTravel?: (steps: 1 | -1) => void;
}

export function Board({ size, signs, marks = {}, label, roving = false, onPoint, onHover, onTravel }: BoardProps) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const margin = marginOf(size);
  const pixel = window.devicePixelRatio || 1;
  const field = Math.max(8, Math.floor((width * pixel) / (size + 2 * margin)) / pixel);
  useTravel(ref, onTravel);

  const dimmed = useMemo(() => {
    const points: Point[] = [];
    signs.forEach((row, y) => row.forEach((_, x) => marks.dead?.has(indexOf([x, y], size)) && points.push([x, y])));
    return points;
  }, [signs, marks.dead, size]);

  return (
    <div class="board" ref={ref}>
      {width > 0 && (
        <div class="board-frame" style={{ fontSize: `${field}px` }} data-size={size} data-small={field < 26 || undefined}>
          <div aria-hidden="true">
            <Goban
              vertexSize={field}
              signMap={signs}
              showCoordinates
              coordX={columnName}
              dimmedVertices={dimmed}
              style={{
                gridTemplateRows: `${margin}em 1fr ${margin}em`,
                gridTemplateColumns: `${margin}em 1fr ${margin}em`,
              }}
            />
          </div>
          <PointLayer
            {...{ size, signs, marks, label, roving, margin }}
            {...(onPoint && { onPoint })}
            {...(onHover && { onHover })}
          />
        </div>
      )}
    </div>
  );
}
