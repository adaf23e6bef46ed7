// Review: choose a game, then walk through it.

import { useEffect, useState } from "preact/hooks";
import { get } from "../api/client";
import type { GameInfo } from "../api/types";
import { go, hrefOf } from "../app/route";
import { GameSource } from "../common/game-source";
import { Notice } from "../common/notice";
import { texts } from "../texts";
import { ReviewGame } from "./review-game";
import { useReview } from "./use-review";

export function ReviewPage({ id, query }: { id: string | null; query: URLSearchParams }) {
  return id ? <OpenReview key={id} id={id} turn={Number(query.get("turn") ?? 0) || 0} /> : <ChooseGame />;
}

function ChooseGame() {
  const [games, setGames] = useState<GameInfo[]>([]);
  useEffect(() => {
    get<{ games: GameInfo[] }>("/api/games").then((found) => setGames(found.games), () => undefined);
  }, []);
  const t = texts.review;
  return (
    <div class="narrow">
      <div class="lead-in">
        <h1>{t.title}</h1>
        <p class="lead">{t.lead}</p>
      </div>
      <GameSource
        onGames={(upload) => {
          if (upload.games.length === 1) go(hrefOf("review", upload.games[0]!.id));
          else setGames((known) => [...upload.games, ...known]);
        }}
      />
      {games.length > 0 && (
        <section>
          <h2>{t.recent}</h2>
          <ul class="rows">
            {games.map((game) => (
              <li key={game.id}>
                <a class="row-link" href={hrefOf("review", game.id)}>
                  <strong>{texts.game.title(game)}</strong>
                  <span class="muted small">{texts.game.details(game)}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function OpenReview({ id, turn }: { id: string; turn: number }) {
  const [net, setNet] = useState<string | null>(null);
  const { game, review, error } = useReview(id, net);
  if (error && !(game && review)) {
    return (
      <div class="narrow">
        <Notice kind="error">{error}</Notice>
        <p>
          <a class="button" href={hrefOf("review")}>
            {texts.review.choose}
          </a>
        </p>
      </div>
    );
  }
  if (!game) return <div class="wide loading" aria-busy="true" />;
  return <ReviewGame game={game} review={review} start={turn} onNet={setNet} />;
}
