import { useEffect, useState } from "preact/hooks";

const query = window.matchMedia("(max-width: 899px)");

/** Whether there is room for one column only; layout.css has the same bound. */
export function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const changed = () => setNarrow(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  return narrow;
}
