import type { Citation } from '@model-gateway/canonical';
import { messagesWebCitation } from '@model-gateway/wire';

/** The pages that a text block cites, all of it; places in the client's own documents have no twin in other formats. */
export function decodeCitations(given: unknown): Citation[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap(value => {
    const { success, data } = messagesWebCitation.safeParse(value);
    return success ? [{ url: data.url, title: data.title ?? '' }] : [];
  });
}
