import type { Influence, StrengthReport } from "../api/types";
import { texts } from "../texts";
import { ByGame } from "./by-game";
import { MovesThatMattered } from "./influence";
import { RankScale } from "./rank-scale";

interface ReportProps {
  id: string;
  report: StrengthReport;
  shown: Influence | null;
  onShow: (move: Influence) => void;
}

export function Report({ id, report, shown, onShow }: ReportProps) {
  const t = texts.strength;
  return (
    <article class="card report" aria-label={t.reportOf(report.player)}>
      <header>
        <h2>{report.player}</h2>
        <p class="muted small">{t.basis(report.moves, report.games)}</p>
      </header>
      <p class="rank">
        {report.rank_words}
        <span class="muted">{t.onScale(report.scale, report.approximate)}</span>
      </p>
      <RankScale report={report} />
      <p class="sentence">{report.sentence}</p>
      {report.notes.length > 0 && (
        <ul class="notes">
          {report.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      <MovesThatMattered report={report} shown={shown} onShow={onShow} />
      {report.by_game.length > 1 && <ByGame report={report} />}
      {report.other_scales.length > 0 && (
        <section>
          <h3>{t.otherScales}</h3>
          <table class="table">
            <tbody>
              {report.other_scales.map((other) => (
                <tr key={other.scale}>
                  <th scope="row">{other.scale}</th>
                  <td>{t.about(other.rank, other.approximate)}</td>
                  <td class="muted">{t.between(other.ranks80)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <p class="muted small">
        {texts.net.label} <strong>{report.net}</strong>. {report.net_sentence}
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
