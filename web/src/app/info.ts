// What the server offers: nets, players, rules, limits. Fetched once, and again after the connection was lost or a net was pulled.

import { createContext } from "preact";
import { useCallback, useContext, useEffect, useState } from "preact/hooks";
import { get, messageOf } from "../api/client";
import { useEvents } from "../api/stream";
import type { Info, NetInfo } from "../api/types";

export interface InfoState {
  info: Info | null;
  error: string | null;
  reload: () => void;
}

export const InfoContext = createContext<Info | null>(null);

export function useLoadInfo(): InfoState {
  const [info, setInfo] = useState<Info | null>(null);
  const [error, setError] = useState<string | null>(null);
  const reload = useCallback(() => {
    get<Info>("/api/info").then(
      (found) => {
        setInfo(found);
        setError(null);
      },
      (fault: unknown) => setError(messageOf(fault)),
    );
  }, []);
  useEffect(reload, [reload]);
  useEvents("reload", reload);
  useEvents("job", (job) => {
    if (job.kind === "pull" && job.state === "done") reload();
  });
  return { info, error, reload };
}

/** What the server offers. Pages are shown only after it is known. */
export function useInfo(): Info {
  const info = useContext(InfoContext);
  if (!info) throw new Error("InfoContext is missing");
  return info;
}

export function netSentence(info: Info, name: string): string {
  const about = netOf(info, name)?.sentence;
  return about ? `${name}: ${about}` : name;
}

export function netOf(info: Info, name: string): NetInfo | undefined {
  return info.nets.find((net) => net.name === name);
}
