// The game on screen: board, both players, what can be done now.

import { useEffect, useMemo, useState } from "preact/hooks";
import type { PlayState } from "../api/types";
import { Board } from "../board/board";
import type { Marks } from "../board/marks";
import { indexOf, nameOf, other, pointOf, signOf, type Point } from "../board/points";
import { after, boardsOf, faultOf } from "../board/replay";
import { MoveEntry } from "../common/move-entry";
import { texts } from "../texts";
import { Actions } from "./actions";
import { Counting } from "./counting";
import { Judgement } from "./judgement";
import { Over } from "./over";
import { SidePanel } from "./side-panel";
import type { Play } from "./use-play";

export function Table({ play, state }: { play: Play; state: PlayState }) {
  const { size, status, you } = state;
  const [hover, setHover] = useState<Point | null>(null);
  const [tapped, setTapped] = useState<Point | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const t = texts.play;

  const boards = useMemo(() => boardsOf(size, state.setup, state.moves), [state.version, state.id]);
  const now = boards[boards.length - 1]!;
  const board = play.pending ? after(now, { color: you, vertex: play.pending }) : now;
  const lastMove = play.pending ? { color: you, vertex: play.pending } : state.moves[state.moves.length - 1];
  const yourTurn = status === "playing" && state.to_move === you && !play.pending;

  useEffect(() => {
    setTapped(null);
    setFault(null);
  }, [state.version]);

  const place = (vertex: string): string | null => {
    if (!yourTurn) return t.notYourTurn;
    const wrong = faultOf(now, { color: you, vertex });
    const said = wrong
      ? texts.faults[wrong](vertex)
      : state.illegal?.includes(vertex)
        ? texts.faults.illegal(vertex)
        : null;
    setFault(said);
    setTapped(null);
    if (!said) play.move(vertex);
    return said;
  };
  const onPoint = (point: Point, how: "mouse" | "touch" | "key") => {
    const vertex = nameOf(point, size);
    if (status === "counting") {
      if (board.get(point)) play.toggleDead(vertex);
      return;
    }
    if (!yourTurn) return;
    const second = tapped !== null && tapped[0] === point[0] && tapped[1] === point[1];
    if (how === "touch" && !second) {
      setFault(null);
      setTapped(board.get(point) ? null : point);
      return;
    }
    place(vertex);
  };

  const ghost = tapped ?? hover;
  const free = ghost && yourTurn && !board.get(ghost) && !state.illegal?.includes(nameOf(ghost, size));
  const marks: Marks = {
    last: lastMove ? pointOf(lastMove.vertex, size) : null,
    ghost: free ? { point: ghost, sign: signOf(you), firm: tapped !== null } : null,
    candidates: hintMarks(play, size),
    ...(status === "playing" ? {} : endMarks(state)),
  };

  return (
    <div class="wide play">
      <h1 class="hidden">{t.gameTitle(state)}</h1>
      <div class="split board-first">
        <div class="board-side">
          <Board
            size={size}
            signs={board.signMap}
            marks={marks}
            label={t.boardLabel}
            roving
            {...(status === "over" ? {} : { onPoint })}
            onHover={setHover}
          />
          <div class="tap" data-shown={tapped ? "" : undefined}>
            {tapped && (
              <button type="button" class="button main" onClick={() => place(nameOf(tapped, size))}>
                {t.playHere(nameOf(tapped, size))}
              </button>
            )}
          </div>
        </div>
        <div class="stack">
          <div class="sides">
            <SidePanel play={play} state={state} color={other(you)} />
            <SidePanel play={play} state={state} color={you} />
          </div>
          <div class="card">
            <p class="status" role="status" data-thinking={state.thinking || undefined}>
              {statusOf(play, state)}
            </p>
            <p class="hidden" aria-live="polite">
              {lastMove ? t.spoken(lastMove, state.moves.length) : ""}
            </p>
            <p class="fault" role="alert">
              {fault ?? play.error}
            </p>
            {status === "playing" && (
              <>
                <MoveEntry size={size} disabled={!yourTurn} onMove={place} />
                <Actions play={play} yourTurn={yourTurn} canUndo={state.moves.some((move) => move.color === you)} />
              </>
            )}
            {status === "counting" && <Counting play={play} state={state} />}
            {status === "over" && <Over play={play} state={state} />}
          </div>
          <Judgement state={state} />
        </div>
      </div>
    </div>
  );
}

function statusOf(play: Play, state: PlayState): string {
  const t = texts.play;
  if (state.status === "over") return t.ended(state);
  if (state.status === "counting") return state.thinking ? t.counting : t.checkCount;
  if (play.pending || state.thinking) return t.thinking;
  return t.yourTurn(state.you, state.moves[state.moves.length - 1]);
}

function hintMarks(play: Play, size: number): NonNullable<Marks["candidates"]> {
  const marks: NonNullable<Marks["candidates"]> = new Map();
  play.hints.forEach((hint, order) => {
    const point = pointOf(hint.move, size);
    if (!point) return;
    const spoken = texts.play.hintSpoken(order + 1);
    marks.set(indexOf(point, size), { loss: 0, order: order + 1, text: String(order + 1), detail: "", spoken });
  });
  return marks;
}

/** Dead stones, and whose each point is: the server's owners are 0 none, 1 Black, 2 White. */
function endMarks(state: PlayState): Marks {
  const dead = new Set<number>();
  for (const vertex of state.dead) {
    const point = pointOf(vertex, state.size);
    if (point) dead.add(indexOf(point, state.size));
  }
  const ownership = state.owner?.map((row) => row.map((owner) => (owner === 1 ? 1 : owner === 2 ? -1 : 0))) ?? null;
  return { dead, ownership };
}
