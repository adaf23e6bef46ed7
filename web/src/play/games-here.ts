// The games that this browser has played: a game survives a closed tab.

import { recall, remember } from "../common/storage";

const most = 20;

export function gamesHere(): string[] {
  try {
    const found: unknown = JSON.parse(recall("games") ?? "[]");
    return Array.isArray(found) ? found.filter((id): id is string => typeof id === "string") : [];
  } catch {
    return [];
  }
}

export function rememberGame(id: string): void {
  const ids = [id, ...gamesHere().filter((known) => known !== id)].slice(0, most);
  remember("games", JSON.stringify(ids));
}
