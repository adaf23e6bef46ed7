import type { PlayState } from "../api/types";
import { texts } from "../texts";
import type { Play } from "./use-play";

export function Counting({ play, state }: { play: Play; state: PlayState }) {
  const t = texts.play;
  return (
    <>
      {state.score && <p class="score">{texts.play.score(state.score.text)}</p>}
      <p class="muted small">{t.countHelp}</p>
      <div class="actions">
        <button type="button" class="button main" disabled={state.thinking} onClick={() => play.act("accept")}>
          {t.accept}
        </button>
        <button type="button" class="button" onClick={() => play.act("resume")}>
          {t.playOn}
        </button>
      </div>
    </>
  );
}
