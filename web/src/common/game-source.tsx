// Where games come from: files dropped or chosen, a pasted record, an example.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { messageOf, post } from "../api/client";
import type { Upload } from "../api/types";
import { useInfo } from "../app/info";
import { texts } from "../texts";
import { Notice } from "./notice";

export function GameSource({ onGames }: { onGames: (upload: Upload) => void }) {
  const { examples, limits } = useInfo();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [over, setOver] = useState(false);
  const [pasted, setPasted] = useState("");
  const t = texts.source;

  const send = async (body: unknown) => {
    setBusy(true);
    setError(null);
    try {
      const upload = await post<Upload>("/api/games", body);
      if (upload.games.length > 0) onGames(upload);
      setError(upload.problems.map((fault) => `${fault.file}: ${fault.reason}`).join("\n") || null);
      setPasted("");
    } catch (fault) {
      setError(messageOf(fault));
    } finally {
      setBusy(false);
    }
  };
  const sendFiles = (files: FileList | null) => {
    const chosen = Array.from(files ?? []);
    if (chosen.length === 0) return;
    const bound = (file: File) => (/\.zip$/i.test(file.name) ? limits.upload_bytes : limits.file_bytes);
    const large = chosen.find((file) => file.size > bound(file));
    if (large) return setError(t.tooLarge(large.name, bound(large)));
    if (chosen.length > limits.files) return setError(t.tooMany(chosen.length, limits.files));
    const form = new FormData();
    for (const file of chosen) form.append("files", file);
    void send(form);
  };
  const drop = (event: JSX.TargetedDragEvent<HTMLElement>) => {
    event.preventDefault();
    setOver(false);
    sendFiles(event.dataTransfer?.files ?? null);
  };

  return (
    <section class="source" aria-label={t.label}>
      <label
        class="drop"
        data-over={over || undefined}
        data-busy={busy || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <input
          type="file"
          accept=".sgf,.gib,.ngf,.zip"
          multiple
          disabled={busy}
          onChange={(event) => {
            sendFiles(event.currentTarget.files);
            event.currentTarget.value = "";
          }}
        />
        <span class="drop-mark" aria-hidden="true" />
        <strong>{busy ? t.reading : t.drop}</strong>
        <span class="muted">{t.kinds}</span>
      </label>
      {error && <Notice kind="error">{error}</Notice>}
      <div class="source-more">
        <details>
          <summary>{t.paste}</summary>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void send({ sgf: pasted });
            }}
          >
            <textarea
              aria-label={t.pasteLabel}
              rows={4}
              spellcheck={false}
              placeholder="(;GM[1]SZ[19]…)"
              value={pasted}
              onInput={(event) => setPasted(event.currentTarget.value)}
            />
            <button type="submit" class="button" disabled={busy || !pasted.trim()}>
              {t.pasteSend}
            </button>
          </form>
        </details>
        <details>
          <summary>{t.examples}</summary>
          <ul class="chips">
            {examples.map((example) => (
              <li key={example.name}>
                <button
                  type="button"
                  class="button"
                  disabled={busy}
                  onClick={() => void send({ example: example.name })}
                >
                  {example.title}
                </button>
              </li>
            ))}
          </ul>
        </details>
      </div>
    </section>
  );
}
