import type { GameInfo } from "../api/types";
import { texts } from "../texts";

export function ChosenGames({ games, onRemove }: { games: GameInfo[]; onRemove: (id: string) => void }) {
  return (
    <section aria-label={texts.strength.games(games.length)}>
      <h2>{texts.strength.games(games.length)}</h2>
      <ul class="rows scroll" tabIndex={0} role="list">
        {games.map((game) => (
          <li key={game.id}>
            <span class="row-main">
              <strong>{texts.game.title(game)}</strong>
              <span class="muted small">{texts.game.details(game)}</span>
            </span>
            <button
              type="button"
              class="button quiet icon"
              aria-label={texts.strength.remove(game.file)}
              onClick={() => onRemove(game.id)}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
