// One or two strength jobs: their progress, then their reports, beside a board for the moves that mattered.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { get, messageOf, remove } from "../api/client";
import type { Influence, Job, StrengthReport } from "../api/types";
import { hrefOf } from "../app/route";
import { JobProgress, running, useJob } from "../common/job";
import { Notice } from "../common/notice";
import { useNarrow } from "../common/use-narrow";
import { texts } from "../texts";
import { Compared } from "./compared";
import { Limits } from "./limits";
import { MoveBoard } from "./move-board";
import { Report } from "./report";

/** A move on the board, and the report that it was chosen in. */
interface Shown {
  job: string;
  move: Influence;
}

export function Reports({ ids }: { ids: string[] }) {
  const [shown, setShown] = useState<Shown | null>(null);
  const [reports, setReports] = useState<Record<string, StrengthReport>>({});
  const narrow = useNarrow();
  const board = useRef<HTMLDivElement>(null);
  const known = ids.flatMap((id) => reports[id] ?? []);

  const arrived = (id: string, report: StrengthReport) => {
    setReports((before) => ({ ...before, [id]: report }));
    const move = report.lowered[0] ?? report.raised[0];
    if (move && id === ids[0]) setShown((before) => before ?? { job: id, move });
  };
  const show = (job: string, move: Influence) => {
    setShown({ job, move });
    board.current?.scrollIntoView({ block: "nearest" });
  };
  const picture = (
    <div ref={board}>
      <MoveBoard move={shown?.move ?? null} />
    </div>
  );
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
          {ids.length > 1 && known.length === ids.length && <Compared reports={known} />}
          {ids.map((id) => (
            <ReportOfJob
              key={id}
              id={id}
              shown={shown?.job === id ? shown.move : null}
              onShow={(move) => show(id, move)}
              onReport={(report) => arrived(id, report)}
              board={narrow && shown?.job === id ? picture : null}
            />
          ))}
        </div>
        <div class="stack sticky">
          {!narrow && picture}
          <Limits />
        </div>
      </div>
    </div>
  );
}

interface ReportOfJobProps {
  id: string;
  shown: Influence | null;
  onShow: (move: Influence) => void;
  onReport: (report: StrengthReport) => void;
  board: ComponentChildren;
}

function ReportOfJob({ id, shown, onShow, onReport, board }: ReportOfJobProps) {
  const [found, setFound] = useState<Job | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    get<Job>(`/api/jobs/${id}`).then(setFound, (fault: unknown) => setError(messageOf(fault)));
  }, [id]);
  const job = useJob(found);
  const report = job?.state === "done" ? (job.result as { report: StrengthReport }).report : null;
  useEffect(() => {
    if (report) onReport(report);
  }, [report !== null]);

  if (error) return <Notice kind="error">{error}</Notice>;
  if (!job) return <div class="card placeholder" />;
  if (running(job)) {
    return (
      <div class="card placeholder">
        <JobProgress job={job} onCancel={() => void remove(`/api/jobs/${id}`)} />
      </div>
    );
  }
  if (!report) return <Notice kind="error">{job.error ?? texts.job.ended(job.state)}</Notice>;
  return <Report id={id} report={report} shown={shown} onShow={onShow} board={board} />;
}
