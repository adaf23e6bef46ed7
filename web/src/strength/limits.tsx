import { texts } from "../texts";

/** What an estimate cannot know: shown beside the games and beside the result. */
export function Limits() {
  const t = texts.strength;
  return (
    <aside class="limits" aria-label={t.limitsTitle}>
      <h2>{t.limitsTitle}</h2>
      <ul>
        {t.limits.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </aside>
  );
}
