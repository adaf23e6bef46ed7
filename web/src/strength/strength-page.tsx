// How strong am I: choose games and players, then read the reports.

import { useEffect, useState } from "preact/hooks";
import { ApiError, get, messageOf, post } from "../api/client";
import type { GameInfo, Job, PlayerCount, Upload } from "../api/types";
import { useInfo } from "../app/info";
import { go, hrefOf } from "../app/route";
import { GameSource } from "../common/game-source";
import { Notice } from "../common/notice";
import { texts } from "../texts";
import { ChosenGames } from "./chosen-games";
import { Limits } from "./limits";
import { PlayerChoice } from "./player-choice";
import { clearPlayer, mergePlayers, playersOf } from "./players";
import { Reports } from "./reports";

export function StrengthPage({ query }: { query: URLSearchParams }) {
  const jobs = query.get("jobs");
  return jobs ? <Reports key={jobs} ids={jobs.split(",")} /> : <ChooseGames game={query.get("game")} />;
}

/** `game`: a game that is chosen from the start, such as one just played. */
function ChooseGames({ game }: { game: string | null }) {
  const { default_net, nets, scales } = useInfo();
  const [games, setGames] = useState<GameInfo[]>([]);
  const [players, setPlayers] = useState<PlayerCount[]>([]);
  const [chosen, setChosen] = useState<string[]>([]);
  const [net, setNet] = useState(default_net);
  const [scale, setScale] = useState(scales[0]?.name ?? "");
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const t = texts.strength;

  const start = async (ids: string[], names: string[]) => {
    setBusy(true);
    setError(null);
    try {
      const wishes = names.length > 0 ? names.map((player) => ({ player })) : [{}];
      const extra = scale ? { scale } : {};
      const jobs: Job[] = [];
      for (const wish of wishes) jobs.push(await post<Job>("/api/strength", { games: ids, net, ...extra, ...wish }));
      go(hrefOf("strength", null, { jobs: jobs.map((job) => job.id).join(",") }));
    } catch (fault) {
      setError(messageOf(fault));
      const offered = fault instanceof ApiError ? fault.data["players"] : null;
      if (Array.isArray(offered)) setPlayers(offered as PlayerCount[]);
      setBusy(false);
    }
  };
  const add = (upload: Upload) => {
    const all = [...games, ...upload.games.filter((fresh) => !games.some((known) => known.id === fresh.id))];
    const names = mergePlayers(players, upload.players);
    setGames(all);
    setPlayers(names);
    const clear = clearPlayer(names, all.length);
    setChosen(clear ? [clear] : []);
    // Nobody must be chosen: the estimate starts at once.
    if (clear && games.length === 0) void start(all.map((one) => one.id), [clear]);
  };
  useEffect(() => {
    if (!game) return;
    get<GameInfo>(`/api/games/${game}`).then(
      (found) => add({ games: [found], problems: [], players: playersOf(found) }),
      (fault: unknown) => setError(messageOf(fault)),
    );
  }, [game]);

  return (
    <div class="narrow">
      <div class="lead-in">
        <h1>{t.title}</h1>
        <p class="lead">{t.lead}</p>
      </div>
      <GameSource onGames={add} />
      {games.length > 0 && (
        <>
          <ChosenGames
            games={games}
            onRemove={(id) => {
              const left = games.filter((one) => one.id !== id);
              setGames(left);
              setPlayers(left.reduce<PlayerCount[]>((names, one) => mergePlayers(names, playersOf(one)), []));
            }}
          />
          <PlayerChoice players={players} chosen={chosen} onChange={setChosen} />
          <details class="options">
            <summary>{t.options}</summary>
            <div class="fields">
              <label>
                {texts.net.label}
                <select value={net} onChange={(event) => setNet(event.currentTarget.value)}>
                  {nets
                    .filter((one) => one.ready && one.strength_model)
                    .map((one) => (
                      <option key={one.name} value={one.name}>
                        {one.name}
                      </option>
                    ))}
                </select>
              </label>
              {scales.length > 0 && (
                <label>
                  {t.scale}
                  <select value={scale} onChange={(event) => setScale(event.currentTarget.value)}>
                    {scales.map((one) => (
                      <option key={one.name} value={one.name}>
                        {one.title}
                      </option>
                    ))}
                  </select>
                </label>
              )}
            </div>
          </details>
          <button
            type="button"
            class="button main"
            disabled={busy || (players.length > 1 && chosen.length === 0)}
            onClick={() => void start(games.map((one) => one.id), chosen)}
          >
            {chosen.length === 2 ? t.compare : t.start}
          </button>
        </>
      )}
      {error && <Notice kind="error">{error}</Notice>}
      <Limits />
      <details class="programs">
        <summary>{t.programs}</summary>
        <pre tabIndex={0}>{t.curl(location.origin)}</pre>
        <p>
          <a href="/strength">{t.plainForm}</a>
        </p>
      </details>
    </div>
  );
}
