import type { ComponentChildren } from "preact";

interface NoticeProps {
  kind: "error" | "info";
  children: ComponentChildren;
  action?: { text: string; run: () => void };
}

export function Notice({ kind, children, action }: NoticeProps) {
  return (
    <div class="notice" data-kind={kind} role={kind === "error" ? "alert" : "status"}>
      <p>{children}</p>
      {action && (
        <button type="button" class="button" onClick={action.run}>
          {action.text}
        </button>
      )}
    </div>
  );
}
