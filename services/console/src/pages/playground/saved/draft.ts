import { z } from 'zod/mini';

/** What is typed and not sent yet. */
const draft = z.object({
  text: z.string(),
  /** The results of calls by their ids. */
  results: z.record(z.string(), z.object({ text: z.string(), isError: z.boolean() })),
});
export type Draft = z.infer<typeof draft>;

export const noDraft: Draft = { text: '', results: {} };

const key = 'model-gateway.draft';

/** Reads the draft of this tab. It is written at each keystroke, so it is in the storage that is written at once. */
export function readDraft(): Draft {
  try {
    return draft.parse(JSON.parse(sessionStorage.getItem(key) ?? ''));
  } catch {
    return noDraft;
  }
}

export function writeDraft(written: Draft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(written));
  } catch {
    // Without storage, the draft lasts as long as the page.
  }
}
