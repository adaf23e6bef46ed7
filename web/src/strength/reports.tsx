// One or two strength jobs: their progress, then their reports, beside a board for the moves that mattered.

import { useEffect, useRef, useState } from "preact/hooks";
import { get, messageOf, remove } from "../api/client";
import type { Influence, Job, StrengthReport } from "../api/types";
import { hrefOf } from "../app/route";
import { JobProgress, running, useJob } from "../common/job";
import { Notice } from "../common/notice";
import { texts } from "../texts";
import { Report } from "./report";
import { MoveBoard } from "./move-board";

export function Reports({ ids }: { ids: string[] }) {
  const [shown, setShown] = useState<Influence | null>(null);
  const board = useRef<HTMLDivElement>(null);
  const show = (move: Influence) => {
    setShown(move);
    board.current?.scrollIntoView({ block: "nearest" });
  };
  return (
    <div class="wide">
      <div class="page-head">
        <h1>{texts.strength.resultTitle}</h1>
        <a class="button" href={hrefOf("strength")}>
          {texts.strength.again}
        </a>
      </div>
      <div class="split">
        <div class="stack">
          {ids.map((id) => (
            <ReportOfJob key={id} id={id} shown={shown} onShow={show} first={id === ids[0]} />
          ))}
        </div>
        <div class="side sticky" ref={board}>
          <MoveBoard move={shown} />
        </div>
      </div>
    </div>
  );
}

interface ReportOfJobProps {
  id: string;
  shown: Influence | null;
  onShow: (move: Influence) => void;
  first: boolean;
}

function ReportOfJob({ id, shown, onShow, first }: ReportOfJobProps) {
  const [found, setFound] = useState<Job | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    get<Job>(`/api/jobs/${id}`).then(setFound, (fault: unknown) => setError(messageOf(fault)));
  }, [id]);
  const job = useJob(found);
  const report = job?.state === "done" ? (job.result as { report: StrengthReport }).report : null;
  useEffect(() => {
    const move = report && (report.lowered[0] ?? report.raised[0]);
    if (first && move && !shown) onShow(move);
  }, [report]);

  if (error) return <Notice kind="error">{error}</Notice>;
  if (!job) return <div class="card placeholder" />;
  if (running(job)) {
    return (
      <div class="card placeholder">
        <JobProgress job={job} onCancel={() => void remove(`/api/jobs/${id}`)} />
      </div>
    );
  }
  if (!report) {
    return <Notice kind="error">{job.error ?? texts.job.ended(job.state)}</Notice>;
  }
  return <Report id={id} report={report} shown={shown} onShow={onShow} />;
}
