// The one stream of events of this tab. It reconnects by itself and resumes after the last event seen.

import { useEffect, useRef, useState } from "preact/hooks";
import { tab } from "./client";
import type { AnalysisEvent, Job, PlayState, ReviewEvent } from "./types";

export interface Events {
  job: Job;
  analysis: AnalysisEvent;
  review: ReviewEvent;
  play: PlayState;
  /** Events are missing: who shows a state must fetch it again. */
  reload: null;
  connection: boolean;
}

type Listener<K extends keyof Events> = (data: Events[K]) => void;

const listeners = new Map<keyof Events, Set<Listener<never>>>();
const named = ["job", "analysis", "review", "play"] as const;
const retryAfter = 1500;

let source: EventSource | null = null;
let last: string | null = null;
let connected = true;
let retry: number | undefined;

function tell<K extends keyof Events>(kind: K, data: Events[K]): void {
  for (const listener of listeners.get(kind) ?? []) (listener as Listener<K>)(data);
}

function setConnected(now: boolean): void {
  if (now === connected) return;
  connected = now;
  tell("connection", now);
  if (now) tell("reload", null);
}

function open(): void {
  window.clearTimeout(retry);
  source?.close();
  const resume = last === null ? "" : `&last=${encodeURIComponent(last)}`;
  const opened = new EventSource(`/api/events?tab=${tab}${resume}`);
  source = opened;
  opened.onopen = () => setConnected(true);
  opened.onerror = () => {
    setConnected(false);
    // The browser's own attempts stop after an HTTP error, and wait long after some network errors.
    opened.close();
    window.clearTimeout(retry);
    retry = window.setTimeout(open, retryAfter);
  };
  for (const kind of named) {
    opened.addEventListener(kind, (event) => {
      if (event.lastEventId) last = event.lastEventId;
      tell(kind, JSON.parse(event.data as string) as Events[typeof kind]);
    });
  }
  opened.addEventListener("lost", (event) => {
    last = event.lastEventId || null;
    tell("reload", null);
  });
}

/** Opens the stream; it stays open as long as the page. */
export function startStream(): void {
  open();
  window.addEventListener("online", open);
  window.addEventListener("offline", () => setConnected(false));
}

export function listen<K extends keyof Events>(kind: K, listener: Listener<K>): () => void {
  const known = listeners.get(kind) ?? new Set();
  known.add(listener as Listener<never>);
  listeners.set(kind, known);
  return () => known.delete(listener as Listener<never>);
}

/** Calls `listener` at each event of a kind as long as the component is shown. */
export function useEvents<K extends keyof Events>(kind: K, listener: Listener<K>): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => listen(kind, (data) => latest.current(data)), [kind]);
}

export function useConnected(): boolean {
  const [now, setNow] = useState(connected);
  useEvents("connection", setNow);
  return now;
}
