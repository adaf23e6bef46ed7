// Routes are in the hash: #/strength, #/review/GAME?turn=40, #/play/ID.

import { useEffect, useState } from "preact/hooks";

export const pages = ["strength", "review", "play"] as const;
export type PageName = (typeof pages)[number];

export interface Route {
  page: PageName;
  id: string | null;
  query: URLSearchParams;
}

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [name, id] = path.split("/");
  const page = pages.find((known) => known === name) ?? "strength";
  return { page, id: id ? decodeURIComponent(id) : null, query: new URLSearchParams(query) };
}

export function hrefOf(page: PageName, id?: string | null, query?: Record<string, string | number>): string {
  const search = query ? `?${new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)]))}` : "";
  return `#/${page}${id ? `/${encodeURIComponent(id)}` : ""}${search}`;
}

export function go(href: string): void {
  location.hash = href;
}

/** Browsers bound how often a page may change its address: a key held down must not. */
const addressDelay = 300;

/** Keeps the place in the address, without a step in the history; a reload finds it there. */
export function useAddress(href: string): void {
  useEffect(() => {
    const timer = window.setTimeout(() => history.replaceState(null, "", href), addressDelay);
    return () => window.clearTimeout(timer);
  }, [href]);
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const changed = () => setRoute(parseRoute(location.hash));
    window.addEventListener("hashchange", changed);
    return () => window.removeEventListener("hashchange", changed);
  }, []);
  return route;
}
