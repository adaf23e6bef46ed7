// Light or dark: the system's choice until the user makes one.

import { useEffect, useState } from "preact/hooks";
import { recall, remember } from "../common/storage";

export type Theme = "light" | "dark";

const system = window.matchMedia("(prefers-color-scheme: dark)");
const changes = new EventTarget();

function current(): Theme {
  const chosen = document.documentElement.dataset["theme"];
  if (chosen === "light" || chosen === "dark") return chosen;
  return system.matches ? "dark" : "light";
}

export function toggleTheme(): void {
  const theme = current() === "dark" ? "light" : "dark";
  document.documentElement.dataset["theme"] = theme;
  remember("theme", theme);
  changes.dispatchEvent(new Event("change"));
}

export function useTheme(): Theme {
  const [theme, setTheme] = useState(current);
  useEffect(() => {
    const changed = () => setTheme(current());
    const chosen = recall("theme");
    if (chosen) document.documentElement.dataset["theme"] = chosen;
    system.addEventListener("change", changed);
    changes.addEventListener("change", changed);
    return () => {
      system.removeEventListener("change", changed);
      changes.removeEventListener("change", changed);
    };
  }, []);
  return theme;
}
