import type { Citation } from '@model-gateway/canonical';
import { chatAnnotation } from '@model-gateway/wire';

/** The sources among a message's annotations, by where they are in the message; what cannot be read is none. */
export function decodeAnnotations(given: unknown): Citation[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap(value => {
    const { success, data } = chatAnnotation.safeParse(value);
    if (!success) return [];
    const { url, title, start_index: start, end_index: end } = data.url_citation;
    const place = start !== undefined && end !== undefined ? { start, end } : {};
    return [{ url, title: title ?? '', ...place }];
  });
}
