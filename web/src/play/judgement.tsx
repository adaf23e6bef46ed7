// What the opponent thinks of the position. Hidden until it is asked for.

import type { Considered, PlayState } from "../api/types";
import { texts } from "../texts";

export function Judgement({ state }: { state: PlayState }) {
  const t = texts.play;
  const considered = state.considered ?? [];
  return (
    <div class="card">
      <details>
        <summary>{t.judgement}</summary>
        <p>{t.judgementText(state)}</p>
        {considered.length > 0 && <Candidates considered={considered} />}
      </details>
      <p class="muted small">{t.terms(state)}</p>
    </div>
  );
}

// The candidates of a player that imagines lines of each.
function Candidates({ considered }: { considered: Considered[] }) {
  const t = texts.play;
  const columns = t.consideredColumns;
  return (
    <>
      <p class="muted small">{t.consideredHelp(considered[0]!.lines)}</p>
      <div class="considered" role="group" tabIndex={0} aria-label={t.considered}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{columns.move}</th>
              <th scope="col">{columns.prior}</th>
              <th scope="col">{columns.reward}</th>
              <th scope="col">{columns.score}</th>
              <th scope="col">{columns.line}</th>
            </tr>
          </thead>
          <tbody>
            {considered.map((one) => (
              <tr key={one.move}>
                <th scope="row">{one.move}</th>
                <td>{t.consideredShare(one.prior)}</td>
                <td>{t.consideredReward(one)}</td>
                <td>{t.consideredShare(one.score)}</td>
                <td>{one.line.slice(1).join(" ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
