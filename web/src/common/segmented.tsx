// A choice of few: radio buttons that look like one bar.

import { useId } from "preact/hooks";

interface SegmentedProps<T extends string | number> {
  label: string;
  value: T;
  options: { value: T; text: string }[];
  onChange: (value: T) => void;
  /** The label is read by screen readers only. */
  quiet?: boolean;
}

export function Segmented<T extends string | number>({ label, value, options, onChange, quiet }: SegmentedProps<T>) {
  const name = useId();
  return (
    <fieldset class="segmented">
      <legend class={quiet ? "hidden" : undefined}>{label}</legend>
      <div class="segments">
        {options.map((option) => (
          <label key={option.value}>
            <input
              type="radio"
              name={name}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <span>{option.text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
