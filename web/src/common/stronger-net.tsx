// Which net judges, and a button that brings a stronger one.

import { useState } from "preact/hooks";
import { messageOf, post } from "../api/client";
import type { Job, NetInfo } from "../api/types";
import { netOf, useInfo } from "../app/info";
import { texts } from "../texts";
import { JobProgress, running, useJob } from "./job";

interface NetLineProps {
  net: string;
  sentence?: string;
  /** Called with the name of another net that is ready. */
  onChange: (net: string) => void;
}

export function NetLine({ net, sentence, onChange }: NetLineProps) {
  const info = useInfo();
  const [started, setStarted] = useState<{ job: Job; net: string } | null>(null);
  const [error, setError] = useState<string | null>(null);
  const job = useJob(started?.job ?? null);
  const others = info.nets.filter((other) => other.name !== net && (other.ready || other.can_pull));

  const choose = async (other: NetInfo) => {
    setError(null);
    if (other.ready) return onChange(other.name);
    try {
      setStarted({ job: await post<Job>(`/api/nets/${encodeURIComponent(other.name)}/pull`), net: other.name });
    } catch (fault) {
      setError(messageOf(fault));
    }
  };
  const pulled = started && netOf(info, started.net)?.ready ? started.net : null;

  return (
    <div class="net">
      <p>
        <span class="muted">{texts.net.label}</span> <strong>{net}</strong>
      </p>
      {sentence && <p class="muted small">{sentence}</p>}
      {job && running(job) && <JobProgress job={job} />}
      {(error ?? (job?.state === "failed" && job.error)) && (
        <p class="fault" role="alert">
          {error ?? job?.error}
        </p>
      )}
      {!running(job) && others.length > 0 && (
        <ul class="chips">
          {others.map((other) => (
            <li key={other.name}>
              <button type="button" class="button" title={other.sentence} onClick={() => void choose(other)}>
                {other.name === pulled || other.ready
                  ? texts.net.use(other.name)
                  : texts.net.pull(other.name, other.size_mb)}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
