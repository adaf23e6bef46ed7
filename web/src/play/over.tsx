import { useState } from "preact/hooks";
import type { PlayState } from "../api/types";
import { go, hrefOf } from "../app/route";
import { texts } from "../texts";
import type { Play } from "./use-play";

export function Over({ play, state }: { play: Play; state: PlayState }) {
  const t = texts.play;
  const [busy, setBusy] = useState(false);
  const open = async (page: "review" | "strength") => {
    setBusy(true);
    const game = await play.record();
    setBusy(false);
    if (game) go(page === "review" ? hrefOf("review", game.id) : hrefOf("strength", null, { game: game.id }));
  };
  return (
    <>
      {state.score && <p class="score">{texts.play.score(state.score.text)}</p>}
      <div class="actions">
        <button type="button" class="button main" disabled={busy} onClick={() => void open("review")}>
          {t.review}
        </button>
        <button type="button" class="button" disabled={busy} onClick={() => void open("strength")}>
          {t.estimate}
        </button>
        <a class="button" href={`/api/play/${state.id}/sgf`} download>
          {t.save}
        </a>
        <a class="button" href={hrefOf("play")}>
          {t.newGame}
        </a>
      </div>
    </>
  );
}
