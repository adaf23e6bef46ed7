// A game against the server: its newest state, and what the player does. A move that did not arrive is sent again
// when the connection is back.

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, get, messageOf, post } from "../api/client";
import { useEvents } from "../api/stream";
import type { Candidate, GameInfo, PlayState } from "../api/types";

export interface Play {
  state: PlayState | null;
  /** When the state arrived, by performance.now(): clocks count from there. */
  arrived: number;
  /** A move that is sent and not yet answered. */
  pending: string | null;
  error: string | null;
  hints: Candidate[];
  hinting: boolean;
  move: (vertex: string) => void;
  act: (action: "undo" | "resign" | "accept" | "resume") => void;
  toggleDead: (vertex: string) => void;
  askHint: () => void;
  /** Asks for the state: a clock has run out. */
  refresh: () => void;
  /** The game so far, as a game of the server. */
  record: () => Promise<GameInfo | null>;
}

interface Sent {
  vertex: string;
  version: number;
}

export function usePlay(id: string): Play {
  const path = `/api/play/${encodeURIComponent(id)}`;
  const [state, setState] = useState<PlayState | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [pending, setPending] = useState<Sent | null>(null);
  const [hints, setHints] = useState<Candidate[]>([]);
  const [hinting, setHinting] = useState(false);
  const arrived = useRef(performance.now());
  const version = useRef(-1);
  const unsent = useRef<Sent | null>(null);

  const take = (fresh: PlayState) => {
    if (fresh.version < version.current) return;
    if (fresh.version > version.current) setHints([]);
    version.current = fresh.version;
    arrived.current = performance.now();
    setState(fresh);
    setError(null);
  };
  const failed = (fault: unknown) => {
    if (fault instanceof ApiError && fault.data["state"]) take(fault.data["state"] as PlayState);
    setError(messageOf(fault));
  };
  const send = async (sent: Sent) => {
    setPending(sent);
    unsent.current = null;
    try {
      take(await post<PlayState>(`${path}/move`, sent));
    } catch (fault) {
      if (fault instanceof ApiError && fault.status === 0) {
        unsent.current = sent;
        return;
      }
      failed(fault);
    }
    setPending(null);
  };
  const refresh = async () => {
    try {
      take(await get<PlayState>(path));
      const waiting = unsent.current;
      if (!waiting) return;
      if (waiting.version === version.current) await send(waiting);
      else {
        unsent.current = null;
        setPending(null);
      }
    } catch (fault) {
      if (!(fault instanceof ApiError) || fault.status !== 0 || !state) failed(fault);
    }
  };
  useEffect(() => void refresh(), [id]);
  useEvents("reload", () => void refresh());
  useEvents("play", (event) => {
    if (event.id === id) take(event);
  });

  return {
    state,
    arrived: arrived.current,
    pending: pending?.vertex ?? null,
    error,
    hints,
    hinting,
    move: (vertex) => {
      setError(null);
      if (state && !pending) void send({ vertex, version: state.version });
    },
    act: (action) => {
      setError(null);
      post<PlayState>(`${path}/${action}`).then(take, failed);
    },
    toggleDead: (vertex) => {
      post<PlayState>(`${path}/dead`, { vertices: [vertex] }).then(take, failed);
    },
    askHint: () => {
      setHinting(true);
      setError(null);
      post<{ candidates: Candidate[] }>(`${path}/hint`)
        .then((found) => setHints(found.candidates.slice(0, 3)), failed)
        .finally(() => setHinting(false));
    },
    refresh: () => void refresh(),
    record: () =>
      post<GameInfo>(`${path}/game`).then(
        (game) => game,
        (fault: unknown) => {
          failed(fault);
          return null;
        },
      ),
  };
}
