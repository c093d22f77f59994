import type { Citation } from '@model-gateway/canonical';
import type { ResponsesUrlCitation } from '@model-gateway/wire';

/** A text's sources; what names no place is of all of the text, which has `length` characters. */
export function renderCitations(citations: readonly Citation[], length: number): ResponsesUrlCitation[] {
  return citations.map(({ url, title, start = 0, end = length }) => ({
    type: 'url_citation',
    url,
    title,
    start_index: start,
    end_index: end,
  }));
}
