// Which net judges, and a button that brings a stronger one.

import { useState } from "preact/hooks";
import { messageOf, post } from "../api/client";
import type { Job, NetInfo } from "../api/types";
import { useInfo } from "../app/info";
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
  const [started, setStarted] = useState<Job | null>(null);
  const [error, setError] = useState<string | null>(null);
  const job = useJob(started);
  const others = info.nets.filter((other) => other.name !== net && (other.ready || other.can_pull));

  const choose = async (other: NetInfo) => {
    setError(null);
    if (other.ready) return onChange(other.name);
    try {
      setStarted(await post<Job>(`/api/nets/${encodeURIComponent(other.name)}/pull`));
    } catch (fault) {
      setError(messageOf(fault));
    }
  };
  const title = net === info.default_net ? texts.net.stronger : texts.net.change;

  return (
    <div class="net">
      <p>
        <span class="muted">{texts.net.label}</span> {sentence ?? net}
      </p>
      {job && running(job) && <JobProgress job={job} />}
      {(error ?? (job?.state === "failed" && job.error)) && (
        <p class="fault" role="alert">
          {error ?? job?.error}
        </p>
      )}
      {others.length > 0 && (
        <details open={started !== null}>
          <summary>{title}</summary>
          <ul class="rows">
            {others.map((other) => (
              <li key={other.name}>
                <span class="row-main">
                  <strong>{other.name}</strong>
                  <span class="muted small">{other.sentence}</span>
                </span>
                <button
                  type="button"
                  class="button"
                  disabled={running(job)}
                  aria-label={other.ready ? texts.net.useNet(other.name) : texts.net.pullNet(other.name)}
                  onClick={() => void choose(other)}
                >
                  {other.ready ? texts.net.use : texts.net.pull(other.size_mb)}
                </button>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
