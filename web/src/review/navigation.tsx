import { texts } from "../texts";

interface NavigationProps {
  turn: number;
  total: number;
  hasMistakes: boolean;
  onStep: (by: number) => void;
  onGo: (turn: number) => void;
  onMistake: (by: 1 | -1) => void;
}

export function Navigation({ turn, total, hasMistakes, onStep, onGo, onMistake }: NavigationProps) {
  const t = texts.review.navigation;
  const button = (name: keyof typeof t, icon: string, run: () => void, off = false) => (
    <button type="button" class="button icon" aria-label={t[name]} title={t[name]} disabled={off} onClick={run}>
      <span class="nav-icon" data-icon={icon} aria-hidden="true" />
    </button>
  );
  return (
    <div class="navigation" role="group" aria-label={texts.review.navigationLabel}>
      {button("first", "first", () => onGo(0))}
      {button("mistakeBefore", "mistake-before", () => onMistake(-1), !hasMistakes)}
      {button("back", "back", () => onStep(-1))}
      <span class="turn">
        <b>{turn}</b> <span class="muted">/ {total}</span>
      </span>
      {button("forward", "forward", () => onStep(1))}
      {button("mistakeAfter", "mistake-after", () => onMistake(1), !hasMistakes)}
      {button("last", "last", () => onGo(total))}
    </div>
  );
}
