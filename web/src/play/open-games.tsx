// Games of this browser that can go on.

import { useEffect, useState } from "preact/hooks";
import { get } from "../api/client";
import type { PlayTitle } from "../api/types";
import { hrefOf } from "../app/route";
import { texts } from "../texts";
import { gamesHere } from "./games-here";

const shown = 3;

export function OpenGames() {
  const [games, setGames] = useState<PlayTitle[]>([]);
  useEffect(() => {
    const ids = gamesHere();
    if (ids.length === 0) return;
    const path = `/api/play?ids=${ids.map(encodeURIComponent).join(",")}`;
    get<{ games: PlayTitle[] }>(path).then((found) => setGames(found.games), () => undefined);
  }, []);
  const open = games.filter((game) => game.status !== "over").slice(0, shown);
  if (open.length === 0) return null;
  return (
    <section>
      <h2>{texts.play.goOn}</h2>
      <ul class="rows">
        {open.map((game) => (
          <li key={game.id}>
            <a class="row-link" href={hrefOf("play", game.id)}>
              <strong>{game.title}</strong>
              <span class="muted small">{texts.format.when(game.when)}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
