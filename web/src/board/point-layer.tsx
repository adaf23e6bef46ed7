// One button for each point of the board, with its name, its marks, and one stop for the Tab key.

import { Component, type JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { hasMoved } from "../common/pointer";
import { texts } from "../texts";
import type { CandidateMark, Marks } from "./marks";
import { indexOf, nameOf, type Point, type Sign } from "./points";

interface LayerProps {
  size: number;
  signs: Sign[][];
  marks: Marks;
  label: string;
  roving: boolean;
  margin: number;
  onPoint?: (point: Point, how: "mouse" | "touch" | "key") => void;
  onHover?: (point: Point | null) => void;
}

const steps: Record<string, Point> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export function PointLayer({ size, signs, marks, label, roving, margin, onPoint, onHover }: LayerProps) {
  const middle = Math.floor(size / 2);
  const [focus, setFocus] = useState<Point>([middle, middle]);
  const layer = useRef<HTMLDivElement>(null);
  const pointer = useRef<"mouse" | "touch">("mouse");

  const target = (event: Event): Point | null => {
    const button = (event.target as HTMLElement).closest<HTMLElement>("[data-point]");
    const index = button ? Number(button.dataset["point"]) : -1;
    return index < 0 ? null : [index % size, Math.floor(index / size)];
  };
  const onKeyDown = (event: JSX.TargetedKeyboardEvent<HTMLDivElement>) => {
    const step = steps[event.key];
    if (!roving || !step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const from = target(event) ?? focus;
    const clamp = (value: number) => Math.min(size - 1, Math.max(0, value));
    const to: Point = [clamp(from[0] + step[0]), clamp(from[1] + step[1])];
    setFocus(to);
    layer.current?.querySelector<HTMLElement>(`[data-point="${indexOf(to, size)}"]`)?.focus();
    onHover?.(to);
  };
  const onClick = (event: JSX.TargetedMouseEvent<HTMLDivElement>) => {
    const point = target(event);
    if (!point) return;
    setFocus(point);
    // A click made by Enter or by a screen reader has no detail.
    onPoint?.(point, event.detail === 0 ? "key" : pointer.current);
  };
  const hover = (event: JSX.TargetedPointerEvent<HTMLDivElement>) => {
    if (event.pointerType === "mouse" && hasMoved(event)) onHover?.(target(event));
  };

  const last = marks.last ? indexOf(marks.last, size) : -1;
  const next = marks.next ? indexOf(marks.next.point, size) : -1;
  const ghost = marks.ghost ? indexOf(marks.ghost.point, size) : -1;
  return (
    <div
      class="points"
      ref={layer}
      role="group"
      aria-label={label}
      data-play={onPoint ? "" : undefined}
      style={{ inset: `${margin}em`, gridTemplateColumns: `repeat(${size}, 1em)` }}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onPointerDown={(event) => (pointer.current = event.pointerType === "mouse" ? "mouse" : "touch")}
      onPointerMove={hover}
      onPointerLeave={() => onHover?.(null)}
    >
      {signs.map((row, y) =>
        row.map((sign, x) => {
          const index = y * size + x;
          return (
            <PointButton
              key={index}
              index={index}
              name={nameOf([x, y], size)}
              sign={sign}
              stop={roving && x === focus[0] && y === focus[1]}
              last={index === last}
              next={index === next ? marks.next!.size : undefined}
              ghost={index === ghost ? marks.ghost!.sign : 0}
              firm={index === ghost && marks.ghost!.firm}
              number={marks.numbers?.get(index)}
              owner={ownerOf(marks, x, y, sign)}
              dead={marks.dead?.has(index) ?? false}
              candidate={marks.candidates?.get(index)}
            />
          );
        }),
      )}
    </div>
  );
}

/** In tenths. A stone on its own area needs no mark. */
function ownerOf(marks: Marks, x: number, y: number, sign: Sign): number {
  const owner = Math.round((marks.ownership?.[y]?.[x] ?? 0) * 10) / 10;
  return sign !== 0 && Math.sign(owner) === sign ? 0 : owner;
}

interface PointProps {
  index: number;
  name: string;
  sign: Sign;
  stop: boolean;
  last: boolean;
  next: string | undefined;
  ghost: Sign;
  firm: boolean;
  number: string | undefined;
  owner: number;
  dead: boolean;
  candidate: CandidateMark | undefined;
}

const compared = ["sign", "stop", "last", "next", "ghost", "firm", "number", "owner", "dead", "name"] as const;

/** Redrawn only when something of this point changed: a board has 361 of them. */
class PointButton extends Component<PointProps> {
  override shouldComponentUpdate(to: PointProps): boolean {
    const from = this.props;
    return (
      compared.some((key) => from[key] !== to[key]) ||
      from.candidate?.loss !== to.candidate?.loss ||
      from.candidate?.text !== to.candidate?.text ||
      from.candidate?.detail !== to.candidate?.detail
    );
  }

  override render({ index, name, sign, stop, last, next, ghost, firm, number, owner, dead, candidate }: PointProps) {
    const label = texts.board.point(name, sign, { last, dead, candidate: candidate?.spoken });
    return (
      <button type="button" class="point" data-point={index} aria-label={label} tabIndex={stop ? 0 : -1}>
        {owner !== 0 && (
          <span class="owner" data-color={owner > 0 ? "B" : "W"} style={{ opacity: Math.abs(owner) * 0.85 }} />
        )}
        {candidate && (
          <span class="candidate" data-loss={candidate.loss}>
            <b data-order={candidate.order}>{candidate.text}</b>
            <small>{candidate.detail}</small>
          </span>
        )}
        {ghost !== 0 && <span class="ghost" data-color={ghost > 0 ? "B" : "W"} data-firm={firm || undefined} />}
        {number ? (
          <span class="number" data-on={sign || ghost}>
            {number}
          </span>
        ) : (
          last && <span class="last" data-on={sign} />
        )}
        {next && <span class="next" data-size={next} />}
        {dead && <span class="dead" data-on={sign} />}
      </button>
    );
  }
}
