// A game and its review: started on demand, filled by the stream. A shallower value never replaces a deeper one.

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, get, messageOf, post } from "../api/client";
import { useEvents } from "../api/stream";
import type { CurvePoint, GameRecord, ReviewState } from "../api/types";
import { recallHere, rememberHere } from "../common/storage";

export function deeper(known: CurvePoint | null | undefined, fresh: CurvePoint): CurvePoint {
  return known && known.visits > fresh.visits ? known : fresh;
}

function mergedCurve(curve: (CurvePoint | null)[], changes: CurvePoint[]): (CurvePoint | null)[] {
  const result = curve.slice();
  for (const change of changes) result[change.turn] = deeper(result[change.turn], change);
  return result;
}

/** A known state with a fetched one. If events came while it was fetched, what they said of the whole is newer. */
function merged(known: ReviewState, found: ReviewState, eventsCame: boolean): ReviewState {
  const points = found.curve.filter((point) => point !== null);
  return { ...(eventsCame ? known : found), curve: mergedCurve(known.curve, points) };
}

/** The review that this tab began before, or a new one. */
async function openReview(game: string, net: string | null): Promise<ReviewState> {
  const key = `review.${game}.${net ?? ""}`;
  const begun = recallHere(key);
  if (begun) {
    try {
      return await get<ReviewState>(`/api/reviews/${begun}`);
    } catch (fault) {
      if (!(fault instanceof ApiError) || fault.status !== 404) throw fault;
    }
  }
  const made = await post<ReviewState>("/api/reviews", net ? { game, net } : { game });
  rememberHere(key, made.id);
  return made;
}

export interface Reviewed {
  game: GameRecord | null;
  review: ReviewState | null;
  error: string | null;
}

export function useReview(id: string, net: string | null): Reviewed {
  const [game, setGame] = useState<GameRecord | null>(null);
  const [review, setReview] = useState<ReviewState | null>(null);
  const [error, setError] = useState<string | null>(null);
  const events = useRef(0);
  const failed = (fault: unknown) => setError(messageOf(fault));

  useEffect(() => {
    setGame(null);
    get<GameRecord>(`/api/games/${id}`).then(setGame, failed);
  }, [id]);
  useEffect(() => {
    setReview(null);
    setError(null);
    openReview(id, net).then(setReview, failed);
  }, [id, net]);
  const refresh = () => {
    if (!review) return;
    const before = events.current;
    get<ReviewState>(`/api/reviews/${review.id}`).then((found) => {
      setReview((known) => (known?.id === found.id ? merged(known, found, events.current !== before) : known));
      setError(null);
    }, failed);
  };
  // Events may have come before the answer that named the review.
  useEffect(refresh, [review?.id]);
  useEvents("reload", refresh);
  useEvents("review", (event) => {
    if (event.id === review?.id) events.current += 1;
    setReview((known) => {
      if (known?.id !== event.id) return known;
      return {
        ...known,
        phase: event.phase,
        curve: mergedCurve(known.curve, event.curve),
        mistakes: event.mistakes,
        mean_loss: event.mean_loss ?? known.mean_loss,
      };
    });
  });
  return { game, review, error };
}
