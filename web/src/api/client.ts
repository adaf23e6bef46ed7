// Requests to the server.

import { recallHere, rememberHere } from "../common/storage";
import { texts } from "../texts";

/** The server refused a request, or did not answer (status 0). */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly data: Record<string, unknown>,
  ) {
    super(message);
  }
}

function makeTab(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A duplicated tab gets a copy of the storage while the first is still open: then the name is not free. */
function readTab(): string {
  const known = recallHere("tab");
  const name = known && recallHere("tab.free") === "yes" ? known : makeTab();
  rememberHere("tab", name);
  const setFree = (free: boolean) => rememberHere("tab.free", free ? "yes" : "no");
  setFree(false);
  window.addEventListener("pagehide", () => setFree(true));
  window.addEventListener("pageshow", () => setFree(false));
  return name;
}

/** The name of this tab: it survives a reload, and other tabs have other names. */
export const tab = readTab();

async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = { "X-Tab": tab, Accept: "application/json" };
  const init: RequestInit = { method, headers };
  if (body instanceof FormData) {
    init.body = body;
  } else if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  let answer: Response;
  try {
    answer = await fetch(path, init);
  } catch {
    throw new ApiError(texts.errors.noAnswer, 0, {});
  }
  const text = await answer.text();
  let data: unknown = {};
  try {
    data = text ? JSON.parse(text) : {};
  } catch {
    data = {};
  }
  if (!answer.ok) {
    const fields = (data ?? {}) as Record<string, unknown>;
    const said = typeof fields["error"] === "string" ? fields["error"] : texts.errors.status(answer.status);
    throw new ApiError(said, answer.status, fields);
  }
  return data as T;
}

export const get = <T>(path: string): Promise<T> => request<T>("GET", path);
export const post = <T>(path: string, body?: unknown): Promise<T> => request<T>("POST", path, body ?? {});
export const remove = (path: string): Promise<unknown> => request("DELETE", path);

/** What to show to the user for a caught error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
