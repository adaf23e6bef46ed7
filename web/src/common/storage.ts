// Small choices that stay in this browser, or in this tab. Without storage they last until the page is closed.

const fallback = new Map<string, string>();

function read(storage: () => Storage, key: string): string | null {
  try {
    return storage().getItem(`tengen.${key}`);
  } catch {
    return fallback.get(key) ?? null;
  }
}

function write(storage: () => Storage, key: string, value: string): void {
  try {
    storage().setItem(`tengen.${key}`, value);
  } catch {
    fallback.set(key, value);
  }
}

export const recall = (key: string) => read(() => localStorage, key);
export const remember = (key: string, value: string) => write(() => localStorage, key, value);
export const recallHere = (key: string) => read(() => sessionStorage, key);
export const rememberHere = (key: string, value: string) => write(() => sessionStorage, key, value);
