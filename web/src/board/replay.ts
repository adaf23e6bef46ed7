// Boards of a game: setup stones and moves, with captures.

import GoBoard from "@sabaki/go-board";
import type { Move, Setup } from "../api/types";
import { pointOf, signOf } from "./points";

export type Board = GoBoard;

export function startOf(size: number, setup: Setup): Board {
  const board = GoBoard.fromDimensions(size);
  for (const color of ["B", "W"] as const) {
    for (const vertex of setup[color]) {
      const point = pointOf(vertex, size);
      if (point) board.set(point, signOf(color));
    }
  }
  return board;
}

export function after(board: Board, move: Move): Board {
  const point = pointOf(move.vertex, board.width);
  return point ? board.makeMove(signOf(move.color), point) : board;
}

/** The boards before move 1, 2, ..., and after the last: one more than there are moves. */
export function boardsOf(size: number, setup: Setup, moves: Move[]): Board[] {
  const boards = [startOf(size, setup)];
  for (const move of moves) boards.push(after(boards[boards.length - 1]!, move));
  return boards;
}

/** Why a move cannot be played, as far as the board alone shows; null if it can. Superko is the server's matter. */
export function faultOf(board: Board, move: Move): "occupied" | "suicide" | "ko" | null {
  const point = pointOf(move.vertex, board.width);
  if (!point) return null;
  const found = board.analyzeMove(signOf(move.color), point);
  if (found.overwrite) return "occupied";
  if (found.suicide) return "suicide";
  return found.ko ? "ko" : null;
}
