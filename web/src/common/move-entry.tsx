// A field to type a move: "D4", Enter.

import { useState } from "preact/hooks";
import { pointOf } from "../board/points";
import { texts } from "../texts";

interface MoveEntryProps {
  size: number;
  disabled?: boolean;
  /** Answers what is wrong with the move, or null. */
  onMove: (vertex: string) => string | null;
}

export function MoveEntry({ size, disabled = false, onMove }: MoveEntryProps) {
  const [text, setText] = useState("");
  const [fault, setFault] = useState<string | null>(null);
  const submit = (event: Event) => {
    event.preventDefault();
    const vertex = text.trim().toLowerCase();
    if (vertex !== "pass" && !pointOf(vertex, size)) {
      setFault(texts.entry.noPoint(text.trim(), size));
      return;
    }
    const wrong = onMove(vertex === "pass" ? "pass" : vertex.toUpperCase());
    setFault(wrong);
    if (!wrong) setText("");
  };
  return (
    <form class="entry" onSubmit={submit}>
      <label>
        <span>{texts.entry.label}</span>
        <input
          type="text"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          placeholder="D4"
          maxLength={4}
          value={text}
          disabled={disabled}
          aria-invalid={fault !== null}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setFault(null);
          }}
        />
      </label>
      <button type="submit" class="button" disabled={disabled || !text.trim()}>
        {texts.entry.play}
      </button>
      <p class="fault" role="alert">
        {fault}
      </p>
    </form>
  );
}
