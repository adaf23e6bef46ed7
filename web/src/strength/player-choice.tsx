// Whose strength: one player, or two to compare.

import type { PlayerCount } from "../api/types";
import { texts } from "../texts";

interface PlayerChoiceProps {
  players: PlayerCount[];
  chosen: string[];
  onChange: (names: string[]) => void;
}

export function PlayerChoice({ players, chosen, onChange }: PlayerChoiceProps) {
  if (players.length < 2) return null;
  const toggle = (name: string) => {
    if (chosen.includes(name)) onChange(chosen.filter((known) => known !== name));
    else onChange([...chosen, name].slice(-2));
  };
  return (
    <fieldset class="players">
      <legend>{texts.strength.who}</legend>
      <p class="muted small">{texts.strength.whoHelp}</p>
      <ul class="chips">
        {players.map((player) => (
          <li key={player.name}>
            <label class="chip">
              <input
                type="checkbox"
                checked={chosen.includes(player.name)}
                onChange={() => toggle(player.name)}
              />
              <span>
                {player.name} <span class="muted">{texts.strength.inGames(player.games)}</span>
              </span>
            </label>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
