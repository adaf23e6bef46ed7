import { useState } from "preact/hooks";
import { texts } from "../texts";
import type { Play } from "./use-play";

interface ActionsProps {
  play: Play;
  yourTurn: boolean;
  canUndo: boolean;
}

export function Actions({ play, yourTurn, canUndo }: ActionsProps) {
  const [resigning, setResigning] = useState(false);
  const t = texts.play;
  if (resigning) {
    return (
      <div class="actions" role="group" aria-label={t.resignSure}>
        <p>{t.resignSure}</p>
        <button
          type="button"
          class="button danger"
          onClick={() => {
            setResigning(false);
            play.act("resign");
          }}
        >
          {t.resign}
        </button>
        <button type="button" class="button" ref={(element) => element?.focus()} onClick={() => setResigning(false)}>
          {t.playOn}
        </button>
      </div>
    );
  }
  return (
    <div class="actions">
      <button type="button" class="button" disabled={!yourTurn} onClick={() => play.move("pass")}>
        {t.pass}
      </button>
      <button type="button" class="button" disabled={!canUndo} onClick={() => play.act("undo")}>
        {t.undo}
      </button>
      <button type="button" class="button" disabled={!yourTurn || play.hinting} onClick={play.askHint}>
        {play.hinting ? t.hinting : t.hint}
      </button>
      <button type="button" class="button" onClick={() => setResigning(true)}>
        {t.resign}
      </button>
    </div>
  );
}
