// A job of the server: followed through the stream, shown as a bar.

import { useEffect, useState } from "preact/hooks";
import { get, messageOf } from "../api/client";
import { useEvents } from "../api/stream";
import type { Job } from "../api/types";
import { texts } from "../texts";

export const running = (job: Job | null): boolean => job?.state === "waiting" || job?.state === "running";

/** The newest state of a job; null while none is followed. */
export function useJob(started: Job | null): Job | null {
  const [job, setJob] = useState(started);
  const id = started?.id;
  useEffect(() => setJob(started), [id]);
  useEvents("job", (event) => {
    if (event.id === id) setJob(event);
  });
  const refresh = () => {
    if (!id) return;
    const take = (fresh: Job) => setJob((known) => (known && known.id === id && !running(known) ? known : fresh));
    get<Job>(`/api/jobs/${id}`).then(take, (fault: unknown) => {
      setJob((known) => known && { ...known, state: "failed", error: messageOf(fault) });
    });
  };
  useEvents("reload", refresh);
  // The job may have moved between the answer that named it and the first event.
  useEffect(refresh, [id]);
  return job && job.id === id ? job : started;
}

export function JobProgress({ job, onCancel }: { job: Job; onCancel?: () => void }) {
  const { progress } = job;
  const known = job.state === "running" && progress && progress.total;
  const text =
    job.state === "waiting"
      ? texts.job.waiting(job.place)
      : progress
        ? texts.job.stage(progress.stage, progress.done, progress.total)
        : texts.job.starting;
  return (
    <div class="job">
      <div class="job-line">
        <p role="status">{text}</p>
        {onCancel && (
          <button type="button" class="button quiet" onClick={onCancel}>
            {texts.job.cancel}
          </button>
        )}
      </div>
      <progress aria-label={texts.job.label} max={known ? progress.total! : 1} value={known ? progress.done : 0} />
    </div>
  );
}
