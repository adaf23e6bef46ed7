import type { ComponentChildren } from "preact";
import type { Influence, StrengthReport } from "../api/types";
import { useInfo } from "../app/info";
import { texts } from "../texts";
import { ByGame } from "./by-game";
import { MovesThatMattered } from "./influence";
import { RankScale } from "./rank-scale";

interface ReportProps {
  id: string;
  report: StrengthReport;
  shown: Influence | null;
  onShow: (move: Influence) => void;
  /** The board, where there is no room for it beside the report. */
  board?: ComponentChildren;
}

export function Report({ id, report, shown, onShow, board }: ReportProps) {
  const t = texts.strength;
  const { scales } = useInfo();
  const title = (name: string) => scales.find((scale) => scale.name === name)?.title ?? name;
  return (
    <article class="card report" aria-label={t.reportOf(report.player)}>
      <header>
        <h2>{report.player}</h2>
        <p class="muted small">{t.basis(report.moves, report.games)}</p>
      </header>
      <p class="rank">
        {report.rank_words}
        <span class="muted">{t.onScale(title(report.scale), report.approximate)}</span>
      </p>
      <RankScale report={report} />
      <p class="sentence">{t.sentence(report)}</p>
      {report.notes.length > 0 && (
        <ul class="notes">
          {report.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <MovesThatMattered report={report} shown={shown} onShow={onShow}>
        {board}
      </MovesThatMattered>
      {report.by_game.length > 1 && <ByGame report={report} />}
      {report.other_scales.length > 0 && (
        <section>
          <h3>{t.otherScales}</h3>
          <table class="table">
            <tbody>
              {report.other_scales.map((other) => (
                <tr key={other.scale}>
                  <th scope="row">{title(other.scale)}</th>
                  <td>{t.about(other.rank, other.approximate)}</td>
                  <td class="muted">{t.between(other.ranks80)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <p class="muted small">
        {texts.net.label}: {report.net_sentence}
      </p>
      <div class="downloads">
        <a class="button" href={`/api/strength/${id}.json`} download>
          {t.json}
        </a>
        <a class="button" href={`/api/strength/${id}.png`} download>
          {t.png}
        </a>
      </div>
    </article>
  );
}
