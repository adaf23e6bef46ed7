// A game under review: the board on one side, what the net says on the other.

import { useEffect, useMemo, useState } from "preact/hooks";
import type { GameRecord, Mistake, ReviewState } from "../api/types";
import { hrefOf, useAddress } from "../app/route";
import { Board } from "../board/board";
import { indexOf, nameOf, pointOf, signOf, type Point } from "../board/points";
import { after, type Board as Stones } from "../board/replay";
import { useKeys } from "../common/keys";
import { MoveEntry } from "../common/move-entry";
import { Segmented } from "../common/segmented";
import { NetLine } from "../common/stronger-net";
import { texts } from "../texts";
import { Candidates } from "./candidates";
import { KomiCurve } from "./komi-curve";
import { LeadGraph } from "./lead-graph";
import { Legend } from "./legend";
import { judged, marksOf, type Measure } from "./losses";
import { MistakeList } from "./mistake-list";
import { mistakeAfter, mistakeBefore, turnOf } from "./mistakes";
import { MistakeStrip } from "./mistake-strip";
import { Navigation } from "./navigation";
import { Trail } from "./trail";
import { useAnalysis } from "./use-analysis";
import { useWalk } from "./use-spot";

interface ReviewGameProps {
  game: GameRecord;
  review: ReviewState | null;
  start: number;
  onNet: (net: string) => void;
}

export function ReviewGame({ game, review, start, onNet }: ReviewGameProps) {
  const walk = useWalk(game, start);
  const { spot, board, toMove } = walk;
  const { analysis, error } = useAnalysis(review?.id ?? null, game.id, review?.net ?? null, spot);
  const [measure, setMeasure] = useState<Measure>("lead");
  const [showCandidates, setShowCandidates] = useState(true);
  const [showOwners, setShowOwners] = useState(false);
  const [preview, setPreview] = useState<string | null>(null);
  const [hover, setHover] = useState<Point | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const t = texts.review;

  const found = useMemo(() => (analysis ? judged(analysis) : []), [analysis]);
  const candidate = preview ? found.find((one) => one.candidate.move === preview)?.candidate : undefined;
  const mistakes = review?.mistakes ?? [];
  const turn = spot.turn;
  const jump = (mistake: Mistake | undefined) => mistake && walk.goTo(turnOf(mistake));

  useEffect(() => {
    setPreview(null);
    setFault(null);
  }, [board]);
  useAddress(hrefOf("review", game.id, { turn }));
  useKeys({
    ArrowLeft: () => walk.step(-1),
    ArrowRight: () => walk.step(1),
    ArrowUp: () => walk.step(-10),
    ArrowDown: () => walk.step(10),
    Home: () => walk.goTo(0),
    End: () => walk.goTo(game.moves.length),
    n: () => jump(mistakeAfter(mistakes, turn)),
    ".": () => jump(mistakeAfter(mistakes, turn)),
    p: () => jump(mistakeBefore(mistakes, turn)),
    ",": () => jump(mistakeBefore(mistakes, turn)),
    o: () => setShowOwners((now) => !now),
    c: () => setShowCandidates((now) => !now),
    Escape: walk.leave,
  });

  const play = (vertex: string): string | null => {
    const wrong = walk.play(vertex);
    const said = wrong && texts.faults[wrong](vertex);
    setFault(said);
    return said;
  };
  const inGame = spot.line.length === 0;
  const past = inGame ? mistakes.find((one) => one.number === turn) : undefined;
  const coming = inGame ? mistakes.find((one) => turnOf(one) === turn) : undefined;
  const nextPoint = walk.next ? pointOf(walk.next.vertex, game.size) : null;
  const line = candidate ? playedOut(board, candidate.variation, toMove) : null;
  const marks = {
    last: walk.last && !line ? pointOf(walk.last.vertex, game.size) : null,
    next: nextPoint && !line ? { point: nextPoint, size: coming?.size ?? ("good" as const) } : null,
    ghost: hover && !line && !board.get(hover) ? { point: hover, sign: signOf(toMove), firm: false } : null,
    ...(line ? { numbers: line.numbers } : lineNumbers(spot.line, game.size)),
    ...(showCandidates && !line ? { candidates: marksOf(found, game.size, measure) } : {}),
    ownership: showOwners && !line ? (analysis?.ownership ?? null) : null,
  };

  return (
    <div class="wide review">
      <div class="split board-first">
        <div class="game-head">
          <h1>{texts.game.title(game)}</h1>
          <p class="muted small">{texts.game.details(game)}</p>
        </div>
        <div class="board-side">
          <Board
            size={game.size}
            signs={(line?.board ?? board).signMap}
            marks={marks}
            label={t.boardLabel}
            onPoint={(point) => play(nameOf(point, game.size))}
            onHover={(point) => {
              const name = point && nameOf(point, game.size);
              const known = showCandidates && name && found.some((one) => one.candidate.move === name);
              setPreview(known ? name : null);
              setHover(known ? null : point);
            }}
            onTravel={walk.step}
          />
          <Navigation
            turn={turn}
            total={game.moves.length}
            hasMistakes={mistakes.length > 0}
            onStep={walk.step}
            onGo={walk.goTo}
            onMistake={(by) => jump(by > 0 ? mistakeAfter(mistakes, turn) : mistakeBefore(mistakes, turn))}
          />
          <div class="said" aria-live="polite">
            <p>
              <strong>{texts.game.moveOf(turn + spot.line.length, walk.last)}</strong>{" "}
              {coming ? t.loses(coming) : past ? t.lost(past) : analysis ? t.judgement(analysis) : review ? t.waiting : t.starting}
            </p>
            {(fault ?? error) && <p class="fault">{fault ?? error}</p>}
          </div>
          <Trail walk={walk} />
        </div>
        <div class="stack">
          <section class="card graph" aria-label={t.graph}>
            <div class="card-head">
              <Segmented
                quiet
                label={t.measure}
                value={measure}
                options={[
                  { value: "lead", text: t.measures.lead },
                  { value: "winrate", text: t.measures.winrate },
                ]}
                onChange={setMeasure}
              />
              <p class="muted small" role="status">
                {review ? t.phase(review) : t.starting}
              </p>
            </div>
            <LeadGraph
              curve={review?.curve ?? []}
              total={game.moves.length}
              turn={turn}
              measure={measure}
              onPick={walk.goTo}
            />
            <MistakeStrip mistakes={mistakes} total={game.moves.length} turn={turn} onPick={walk.goTo} />
            {review && <NetLine net={review.net} sentence={review.net_sentence} onChange={onNet} />}
          </section>
          <section class="card" aria-label={t.candidates}>
            <div class="card-head">
              <h2>{t.candidates}</h2>
              <div class="toggles">
                <label class="check">
                  <input
                    type="checkbox"
                    checked={showCandidates}
                    onChange={() => setShowCandidates(!showCandidates)}
                  />
                  {t.onBoard}
                </label>
                <label class="check">
                  <input type="checkbox" checked={showOwners} onChange={() => setShowOwners(!showOwners)} />
                  {t.ownership}
                </label>
              </div>
            </div>
            <Candidates found={found} waiting={!analysis} onPreview={setPreview} onPlay={play} />
            <Legend />
            <MoveEntry size={game.size} onMove={play} />
          </section>
          <section class="card" aria-label={t.komiTitle}>
            <h2>{t.komiTitle}</h2>
            <KomiCurve analysis={analysis} />
          </section>
          <MistakeList review={review} turn={turn} onPick={walk.goTo} />
          <section class="card" aria-label={t.more}>
            {review && (
              <div class="downloads">
                <a class="button" href={`/api/reviews/${review.id}/annotated.sgf`} download>
                  {t.annotated}
                </a>
                <a class="button" href={`/api/reviews/${review.id}/report.html`} download>
                  {t.report}
                </a>
                <a class="button" href={hrefOf("strength", null, { game: game.id })}>
                  {t.strength}
                </a>
              </div>
            )}
            <details>
              <summary>{t.keysTitle}</summary>
              <dl class="keys">
                {t.keys.map(([key, does]) => (
                  <div key={key}>
                    <dt>{key}</dt>
                    <dd>{does}</dd>
                  </div>
                ))}
              </dl>
            </details>
          </section>
        </div>
      </div>
    </div>
  );
}

/** A line of play on the board, with the number of each move. */
function playedOut(board: Stones, variation: string[], first: "B" | "W") {
  const numbers = new Map<number, string>();
  let now = board;
  let color = first;
  variation.forEach((vertex, order) => {
    now = after(now, { color, vertex });
    const point = pointOf(vertex, board.width);
    if (point) numbers.set(indexOf(point, board.width), String(order + 1));
    color = color === "B" ? "W" : "B";
  });
  return { board: now, numbers };
}

function lineNumbers(line: { vertex: string }[], size: number): { numbers?: Map<number, string> } {
  if (line.length === 0) return {};
  const numbers = new Map<number, string>();
  line.forEach((move, order) => {
    const point = pointOf(move.vertex, size);
    if (point) numbers.set(indexOf(point, size), String(order + 1));
  });
  return { numbers };
}
