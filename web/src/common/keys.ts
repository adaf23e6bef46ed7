import { useLayoutEffect, useRef } from "preact/hooks";

const typing = "input:not([type=checkbox]):not([type=file]), textarea, select, [contenteditable]";

/** Keys of a page. They rest while the user types, and while a key of the browser is held. */
export function useKeys(keys: Record<string, () => void>): void {
  const latest = useRef(keys);
  latest.current = keys;
  // Before the page is painted: a key that is pressed as soon as something shows must not be lost.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
      const target = event.target;
      if (target instanceof Element && target.matches(typing) && event.key !== "Escape") return;
      const run = latest.current[event.key];
      if (!run) return;
      event.preventDefault();
      run();
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, []);
}
