import { texts } from "../texts";
import { lossSteps } from "./losses";

/** What the colours of candidates mean. */
export function Legend() {
  return (
    <div class="legend small muted">
      <p>{texts.review.legend}</p>
      <ul>
        {[...lossSteps, null].map((bound, step) => (
          <li key={step}>
            <i class="swatch" data-loss={step} aria-hidden="true" />
            {step === 0 ? texts.review.best : texts.review.lossStep(lossSteps[step - 1]!, bound, step)}
          </li>
        ))}
      </ul>
    </div>
  );
}
