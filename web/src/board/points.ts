// Points of the board: [x, y] from the top left, as in Shudan; vertices are names such as "Q16".

import type { Color } from "../api/types";

export type Point = [x: number, y: number];
export type Sign = -1 | 0 | 1;

const letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ";

export function nameOf([x, y]: Point, size: number): string {
  return `${letters[x]}${size - y}`;
}

/** The point of a name, or null for "pass" and for what is no point of this board. */
export function pointOf(vertex: string, size: number): Point | null {
  const match = /^([a-z])(\d{1,2})$/i.exec(vertex.trim());
  if (!match) return null;
  const x = letters.indexOf(match[1]!.toUpperCase());
  const y = size - Number(match[2]);
  return x >= 0 && x < size && y >= 0 && y < size ? [x, y] : null;
}

export function columnName(x: number): string {
  return letters[x] ?? "";
}

export const indexOf = ([x, y]: Point, size: number): number => y * size + x;

export function signOf(color: Color): Sign {
  return color === "B" ? 1 : -1;
}

export function other(color: Color): Color {
  return color === "B" ? "W" : "B";
}
