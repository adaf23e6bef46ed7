// One side of the game: who, prisoners, clock.

import { useEffect, useState } from "preact/hooks";
import type { Color, PlayState } from "../api/types";
import { texts } from "../texts";
import type { Play } from "./use-play";

interface SidePanelProps {
  play: Play;
  state: PlayState;
  color: Color;
}

export function SidePanel({ play, state, color }: SidePanelProps) {
  const t = texts.play;
  const active = state.status === "playing" && state.to_move === color;
  return (
    <div class="side-panel" data-active={active || undefined}>
      <span class="stone large" data-color={color} aria-hidden="true" />
      <div>
        <strong>{color === state.you ? t.you : t.opponentName(state)}</strong>
        <p class="muted small">{t.captures(state.captures[color])}</p>
      </div>
      {state.clock && <ClockFace play={play} state={state} color={color} />}
    </div>
  );
}

function ClockFace({ play, state, color }: SidePanelProps) {
  const running = state.clock!.running === color;
  const [, tick] = useState(0);
  useEffect(() => {
    if (!running) return undefined;
    const timer = window.setInterval(() => tick((count) => count + 1), 250);
    return () => window.clearInterval(timer);
  }, [running]);
  const side = state.clock![color];
  const spent = running ? (performance.now() - play.arrived) / 1000 : 0;
  const left = Math.max(0, side.left - spent);
  // At zero the next period begins, or the game ends: the server decides.
  const isUp = running && left === 0;
  useEffect(() => {
    if (isUp) play.refresh();
  }, [isUp, play.arrived]);
  return (
    <span class="clock" data-low={left < 10 || undefined} role="timer" aria-label={texts.play.clockSpoken(color)}>
      {texts.format.clock(left)}
      {side.periods ? <small>{texts.play.periods(side.periods)}</small> : null}
    </span>
  );
}
