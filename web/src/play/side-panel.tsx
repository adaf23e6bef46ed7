// One side of the game: who, prisoners, clock.

import { useEffect, useState } from "preact/hooks";
import type { Color, PlayState } from "../api/types";
import { texts } from "../texts";

interface SidePanelProps {
  state: PlayState;
  color: Color;
  arrived: number;
}

export function SidePanel({ state, color, arrived }: SidePanelProps) {
  const t = texts.play;
  const active = state.status === "playing" && state.to_move === color;
  return (
    <div class="side-panel" data-active={active || undefined}>
      <span class="stone large" data-color={color} aria-hidden="true" />
      <div>
        <strong>{color === state.you ? t.you : t.opponentName(state)}</strong>
        <p class="muted small">{t.captures(state.captures[color])}</p>
      </div>
      {state.clock && <ClockFace state={state} color={color} arrived={arrived} />}
    </div>
  );
}

function ClockFace({ state, color, arrived }: SidePanelProps) {
  const running = state.clock!.running === color;
  const [, tick] = useState(0);
  useEffect(() => {
    if (!running) return undefined;
    const timer = window.setInterval(() => tick((count) => count + 1), 250);
    return () => window.clearInterval(timer);
  }, [running]);
  const side = state.clock![color];
  const spent = running ? (performance.now() - arrived) / 1000 : 0;
  const left = Math.max(0, side.left - spent);
  return (
    <span class="clock" data-low={left < 10 || undefined} role="timer" aria-label={texts.play.clockSpoken(color)}>
      {texts.format.clock(left)}
      {side.periods ? <small>{texts.play.periods(side.periods)}</small> : null}
    </span>
  );
}
