// The board at a move that mattered.

import { useEffect, useMemo, useState } from "preact/hooks";
import { get } from "../api/client";
import type { GameRecord, Influence } from "../api/types";
import { hrefOf } from "../app/route";
import { Board } from "../board/board";
import { pointOf } from "../board/points";
import { boardsOf, startOf } from "../board/replay";
import { texts } from "../texts";

export function MoveBoard({ move }: { move: Influence | null }) {
  const [games, setGames] = useState<Record<string, GameRecord>>({});
  const [turn, setTurn] = useState(0);
  const id = move?.game ?? null;
  const game = id ? games[id] : undefined;
  useEffect(() => {
    if (!id || game) return;
    const keep = (found: GameRecord) => setGames((known) => ({ ...known, [id]: found }));
    get<GameRecord>(`/api/games/${id}`).then(keep, () => undefined);
  }, [id]);
  useEffect(() => setTurn(move?.move ?? 0), [move]);
  const boards = useMemo(() => (game ? boardsOf(game.size, game.setup, game.moves) : null), [game]);
  const empty = useMemo(() => startOf(19, { B: [], W: [] }), []);

  if (!game || !boards || !move) return <Board size={19} signs={empty.signMap} label={texts.board.label} />;
  const at = Math.min(turn, game.moves.length);
  const last = game.moves[at - 1];
  return (
    <>
      <Board
        size={game.size}
        signs={boards[at]!.signMap}
        marks={{ last: last ? pointOf(last.vertex, game.size) : null }}
        label={texts.board.label}
        onTravel={(steps) => setTurn(Math.min(game.moves.length, Math.max(0, at + steps)))}
      />
      <div class="under-board">
        <p aria-live="polite">{texts.game.moveOf(at, last)}</p>
        <a class="button" href={hrefOf("review", game.id, { turn: at })}>
          {texts.strength.review}
        </a>
      </div>
    </>
  );
}
