// Where the user is in a game: a turn, and a variation from there with a place in it.

import { useCallback, useMemo, useState } from "preact/hooks";
import type { GameRecord, Move } from "../api/types";
import { after, boardsOf, faultOf, type Board } from "../board/replay";
import { other } from "../board/points";
import type { Spot } from "./use-analysis";

interface Place {
  turn: number;
  line: Move[];
  /** How many moves of the line are on the board. */
  at: number;
}

export interface Walk {
  spot: Spot;
  /** The whole variation, of which `spot.line` is the part on the board. */
  line: Move[];
  board: Board;
  toMove: "B" | "W";
  last: Move | undefined;
  /** The move of the game from here; none in a variation. */
  next: Move | undefined;
  step: (by: number) => void;
  goTo: (turn: number) => void;
  goInLine: (at: number) => void;
  /** Plays a move: the next of the game, or one of a variation. Answers what is wrong with it. */
  play: (vertex: string) => "occupied" | "suicide" | "ko" | null;
  leave: () => void;
}

export function useWalk(game: GameRecord, start: number): Walk {
  const moves = game.moves;
  const clamp = (turn: number) => Math.min(moves.length, Math.max(0, turn));
  const [place, setPlace] = useState<Place>({ turn: clamp(start), line: [], at: 0 });
  const boards = useMemo(() => boardsOf(game.size, game.setup, moves), [game]);
  const shown = place.line.slice(0, place.at);
  const board = useMemo(() => shown.reduce(after, boards[place.turn]!), [boards, place]);

  const last = shown[shown.length - 1] ?? moves[place.turn - 1];
  const next = place.line.length === 0 ? moves[place.turn] : undefined;
  const toMove = next?.color ?? (last ? other(last.color) : game.to_move);

  const goTo = useCallback((turn: number) => setPlace({ turn: clamp(turn), line: [], at: 0 }), [moves]);
  const step = useCallback(
    (by: number) =>
      setPlace((from) => {
        if (from.line.length === 0) return { ...from, turn: clamp(from.turn + by) };
        const at = Math.min(from.line.length, from.at + by);
        return at <= 0 ? { turn: from.turn, line: [], at: 0 } : { ...from, at };
      }),
    [moves],
  );
  const goInLine = useCallback((at: number) => setPlace((from) => ({ ...from, at })), []);
  const play = (vertex: string) => {
    const move: Move = { color: toMove, vertex };
    const fault = faultOf(board, move);
    if (fault) return fault;
    if (next && next.vertex === vertex && next.color === toMove) step(1);
    else setPlace({ turn: place.turn, line: [...shown, move], at: place.at + 1 });
    return null;
  };
  return {
    spot: { turn: place.turn, line: shown },
    line: place.line,
    board,
    toMove,
    last,
    next,
    step,
    goTo,
    goInLine,
    play,
    leave: () => goTo(place.turn),
  };
}
