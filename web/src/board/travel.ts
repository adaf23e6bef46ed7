import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

const wheelStep = 40;
const swipeStep = 28;

/** Turns the wheel and horizontal swipes on an element into steps through the game. */
export function useTravel(ref: RefObject<HTMLElement>, onTravel?: (steps: 1 | -1) => void): void {
  const latest = useRef(onTravel);
  latest.current = onTravel;
  const active = onTravel !== undefined;
  useEffect(() => {
    const element = ref.current;
    if (!element || !active) return undefined;
    let turned = 0;
    let start: { x: number; y: number } | null = null;

    const wheel = (event: WheelEvent) => {
      if (event.ctrlKey) return;
      event.preventDefault();
      turned += event.deltaY * (event.deltaMode === 1 ? 20 : 1);
      while (Math.abs(turned) >= wheelStep) {
        latest.current?.(turned > 0 ? 1 : -1);
        turned -= Math.sign(turned) * wheelStep;
      }
    };
    const down = (event: TouchEvent) => {
      const touch = event.touches[0];
      start = event.touches.length === 1 && touch ? { x: touch.clientX, y: touch.clientY } : null;
    };
    const move = (event: TouchEvent) => {
      const touch = event.touches[0];
      if (!start || !touch) return;
      const dx = touch.clientX - start.x;
      if (Math.abs(dx) < swipeStep || Math.abs(dx) < 2 * Math.abs(touch.clientY - start.y)) return;
      // A swipe to the left brings the next move, as a swipe turns a page.
      latest.current?.(dx < 0 ? 1 : -1);
      start = { x: touch.clientX, y: touch.clientY };
    };
    element.addEventListener("wheel", wheel, { passive: false });
    element.addEventListener("touchstart", down, { passive: true });
    element.addEventListener("touchmove", move, { passive: true });
    return () => {
      element.removeEventListener("wheel", wheel);
      element.removeEventListener("touchstart", down);
      element.removeEventListener("touchmove", move);
    };
  }, [active]);
}
