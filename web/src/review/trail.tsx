// The way from the game into a variation, and back.

import { texts } from "../texts";
import type { Walk } from "./use-spot";

export function Trail({ walk }: { walk: Walk }) {
  if (walk.line.length === 0) return <p class="trail muted small">{texts.review.tryMoves}</p>;
  return (
    <nav class="trail" aria-label={texts.review.trail}>
      <button type="button" class="button" onClick={walk.leave}>
        {texts.review.backToGame(walk.spot.turn)}
      </button>
      {walk.line.map((move, order) => (
        <button
          key={order}
          type="button"
          class="button quiet"
          aria-current={order + 1 === walk.spot.line.length ? "step" : undefined}
          onClick={() => walk.goInLine(order + 1)}
        >
          <span class="stone" data-color={move.color} aria-hidden="true" />
          {move.vertex}
        </button>
      ))}
    </nav>
  );
}
