// What the opponent thinks of the position. Hidden until it is asked for.

import type { PlayState } from "../api/types";
import { texts } from "../texts";

export function Judgement({ state }: { state: PlayState }) {
  const t = texts.play;
  return (
    <div class="card">
      <details>
        <summary>{t.judgement}</summary>
        <p>{t.judgementText(state)}</p>
      </details>
      <p class="muted small">{t.terms(state)}</p>
    </div>
  );
}
