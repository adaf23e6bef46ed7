// The analysis of the position on screen: of the game itself, or of a variation.

import { useEffect, useRef, useState } from "preact/hooks";
import { get, messageOf, post, remove } from "../api/client";
import { useEvents } from "../api/stream";
import type { Analysis, Move } from "../api/types";

/** The position after `turn` moves of the game and the moves of `line`. */
export interface Spot {
  turn: number;
  line: Move[];
}

const keyOf = (spot: Spot) => `${spot.turn}:${spot.line.map((move) => move.color + move.vertex).join(",")}`;

/** A key held down passes many positions; only those that stay on screen are asked for. */
const patience = 120;

export interface Analysed {
  analysis: Analysis | null;
  error: string | null;
}

export function useAnalysis(review: string | null, game: string, net: string | null, spot: Spot): Analysed {
  const known = useRef(new Map<string, Analysis>());
  const asked = useRef(new Map<string, string>());
  // Analyses that came before the answer that names them.
  const early = useRef(new Map<string, Analysis>());
  const [, redraw] = useState(0);
  const [error, setError] = useState<string | null>(null);
  const key = keyOf(spot);

  const keep = (where: string, analysis: Analysis) => {
    const before = known.current.get(where);
    if (before && before.visits > analysis.visits) return;
    known.current.set(where, analysis);
    redraw((count) => count + 1);
  };
  const ask = () => {
    if (!review) return undefined;
    setError(null);
    let variation: string | null = null;
    let left = false;
    const timer = window.setTimeout(() => {
      if (spot.line.length === 0) {
        get<Analysis>(`/api/reviews/${review}/turns/${spot.turn}`).then((found) => keep(key, found), () => undefined);
        post(`/api/reviews/${review}/focus`, { turn: spot.turn }).catch(() => undefined);
        return;
      }
      const body = { game, turn: spot.turn, line: spot.line, ...(net ? { net } : {}) };
      post<{ analysis: string }>("/api/analyses", body).then(
        (answer) => {
          variation = answer.analysis;
          asked.current.set(variation, key);
          const found = early.current.get(variation);
          early.current.clear();
          if (found) keep(key, found);
          if (left) void remove(`/api/analyses/${variation}`).catch(() => undefined);
        },
        (fault: unknown) => setError(messageOf(fault)),
      );
    }, patience);
    return () => {
      left = true;
      window.clearTimeout(timer);
      if (variation) void remove(`/api/analyses/${variation}`).catch(() => undefined);
    };
  };

  useEffect(() => {
    known.current.clear();
    redraw((count) => count + 1);
  }, [review]);
  useEffect(ask, [review, key]);
  useEvents("reload", ask);
  useEvents("analysis", (event) => {
    if (event.review) {
      if (event.review === review) keep(`${event.turn}:`, event.analysis);
      return;
    }
    const where = asked.current.get(event.id ?? "");
    if (where) keep(where, event.analysis);
    else if (event.id) early.current.set(event.id, event.analysis);
  });
  return { analysis: known.current.get(key) ?? null, error };
}
