import { useCallback, useEffect, useState } from 'react';

const prefix = 'model-gateway.draft.';

/**
 * Keeps what is typed in a form in the tab's session storage, so that it is there again after a reload or a visit of another page.
 * `key` names the form and the version of what it edits. Never use it for secrets.
 */
export function useDraft<Draft extends object>(
  key: string,
  initial: Draft,
): { draft: Draft; restored: boolean; keep(draft: Draft): void; forget(): void } {
  const [{ draft, restored }] = useState(() => {
    const kept = read(key);
    return kept
      ? { draft: { ...initial, ...(kept as Draft) }, restored: true }
      : { draft: initial, restored: false };
  });
  const keep = useCallback((typed: Draft) => write(key, JSON.stringify(typed)), [key]);
  const forget = useCallback(() => write(key, undefined), [key]);
  return { draft, restored, keep, forget };
}

/** Asks the browser to warn the user who closes the tab while something typed is not saved. */
export function useWarnBeforeLeaving(unsaved: boolean): void {
  useEffect(() => {
    if (!unsaved) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [unsaved]);
}

function read(key: string): object | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(prefix + key) ?? 'null');
    return typeof kept === 'object' && kept !== null ? kept : undefined;
  } catch {
    return undefined;
  }
}

function write(key: string, text: string | undefined): void {
  try {
    if (text === undefined) sessionStorage.removeItem(prefix + key);
    else sessionStorage.setItem(prefix + key, text);
  } catch {
    // Without storage, the draft lasts as long as the page.
  }
}
