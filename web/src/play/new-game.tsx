// The terms of a new game.

import { useState } from "preact/hooks";
import { messageOf, post } from "../api/client";
import type { Color, Info, PlayState } from "../api/types";
import { netOf, netSentence } from "../app/info";
import { go, hrefOf } from "../app/route";
import { Notice } from "../common/notice";
import { Segmented } from "../common/segmented";
import { NetLine } from "../common/stronger-net";
import { texts } from "../texts";
import { rememberGame } from "./games-here";

const clocks = {
  none: null,
  fast: { main: 300, period: 15, periods: 3 },
  usual: { main: 900, period: 30, periods: 3 },
  slow: { main: 2400, period: 30, periods: 5 },
} as const;
type ClockName = keyof typeof clocks;

// Visits of a search; for a player that imagines lines, the lines of each candidate.
const levels = { light: 8, usual: 64, deep: 400 } as const;
const lines = { light: 5, usual: 20, deep: 60 } as const;

export function NewGame({ info }: { info: Info }) {
  const t = texts.play;
  const [size, setSize] = useState(9);
  const [you, setYou] = useState<Color | "any">("B");
  const [handicap, setHandicap] = useState(0);
  const [rules, setRules] = useState("chinese");
  const [komi, setKomi] = useState("");
  const [clock, setClock] = useState<ClockName>("none");
  const [net, setNet] = useState(info.default_net);
  const [player, setPlayer] = useState(info.players.some((one) => one.name === "puct") ? "puct" : info.players[0]!.name);
  const [level, setLevel] = useState<keyof typeof levels>("usual");
  const [komiMethod, setKomiMethod] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  const kind = info.players.find((one) => one.name === player);
  const searches = kind?.options.some((option) => option.name === "visits") ?? false;
  const imagines = kind?.options.some((option) => option.name === "lines") ?? false;
  const adapts = kind?.options.some((option) => option.name === "komi_method") ?? info.komi_methods.length > 0;
  const trained = netOf(info, net)?.trained_sizes;
  const usualKomi = handicap > 0 ? 0.5 : (info.rules.find((one) => one.name === rules)?.komi ?? 7.5);

  const start = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      const color: Color = you === "any" ? (Math.random() < 0.5 ? "B" : "W") : you;
      const state = await post<PlayState>("/api/play", {
        size,
        handicap,
        rules,
        you: color,
        clock: clocks[clock],
        net,
        player,
        ...(komi.trim() ? { komi: Number(komi) } : {}),
        ...(searches ? { visits: levels[level] } : {}),
        ...(imagines ? { options: { lines: lines[level] } } : {}),
        ...(komiMethod ? { komi_method: komiMethod } : {}),
      });
      rememberGame(state.id);
      go(hrefOf("play", state.id));
    } catch (fault) {
      setError(messageOf(fault));
      setBusy(false);
    }
  };

  return (
    <form class="card new-game" onSubmit={(event) => void start(event)}>
      <Segmented
        label={t.size}
        value={size}
        options={info.sizes.map((one) => ({ value: one, text: `${one}×${one}` }))}
        onChange={setSize}
      />
      <Segmented
        label={t.color}
        value={you}
        options={[
          { value: "B" as const, text: t.colors.B },
          { value: "W" as const, text: t.colors.W },
          { value: "any" as const, text: t.colors.any },
        ]}
        onChange={setYou}
      />
      {(searches || imagines) && (
        <Segmented
          label={t.level}
          value={level}
          options={(Object.keys(levels) as (keyof typeof levels)[]).map((one) => ({
            value: one,
            text: t.levels[one],
          }))}
          onChange={setLevel}
        />
      )}
      {searches && <p class="muted small">{t.levelHelp(levels[level])}</p>}
      {imagines && <p class="muted small">{t.linesHelp(lines[level])}</p>}
      {trained && !trained.includes(size) && <p class="muted small">{t.untrained(net, trained)}</p>}
      <details class="options">
        <summary>{t.more}</summary>
        <div class="fields">
          <label>
            {t.handicap}
            <select value={handicap} onChange={(event) => setHandicap(Number(event.currentTarget.value))}>
              {[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((stones) => (
                <option key={stones} value={stones}>
                  {t.stones(stones)}
                </option>
              ))}
            </select>
          </label>
          <label>
            {t.komi}
            <input
              type="number"
              step="0.5"
              min="-150"
              max="150"
              placeholder={String(usualKomi)}
              value={komi}
              onInput={(event) => setKomi(event.currentTarget.value)}
            />
          </label>
          <label>
            {t.rules}
            <select value={rules} onChange={(event) => setRules(event.currentTarget.value)}>
              {info.rules.map((one) => (
                <option key={one.name} value={one.name}>
                  {one.title}
                </option>
              ))}
            </select>
          </label>
          <label>
            {t.clock}
            <select value={clock} onChange={(event) => setClock(event.currentTarget.value as ClockName)}>
              {(Object.keys(clocks) as ClockName[]).map((name) => (
                <option key={name} value={name}>
                  {t.clockNames[name]}
                </option>
              ))}
            </select>
          </label>
          <label>
            {t.opponent}
            <select value={player} onChange={(event) => setPlayer(event.currentTarget.value)}>
              {info.players.map((one) => (
                <option key={one.name} value={one.name}>
                  {t.players[one.name] ?? texts.format.sentence(one.title)}
                </option>
              ))}
            </select>
          </label>
          {info.komi_methods.length > 0 && adapts && (
            <label>
              {t.komiMethod}
              <select value={komiMethod} onChange={(event) => setKomiMethod(event.currentTarget.value)}>
                <option value="">{t.noKomiMethod}</option>
                {info.komi_methods.map((one) => (
                  <option key={one.name} value={one.name}>
                    {t.komiMethodName(one.name, one.title)}
                  </option>
                ))}
              </select>
            </label>
          )}
        </div>
        <NetLine net={net} sentence={netSentence(info, net)} onChange={setNet} />
      </details>
      {error && <Notice kind="error">{error}</Notice>}
      <button type="submit" class="button main" disabled={busy}>
        {t.start}
      </button>
    </form>
  );
}
