import type { Citation } from '@model-gateway/canonical';
import type { ChatAnnotation } from '@model-gateway/wire';

/** Where a text stands in the message's content, in characters. */
export interface Place {
  start: number;
  end: number;
}

/** A text's sources, by where they are in the message; what names no place is of all of the text. */
export function renderAnnotations(citations: readonly Citation[], text: Place): ChatAnnotation[] {
  return citations.map(({ url, title, start, end }) => ({
    type: 'url_citation',
    url_citation: {
      url,
      title,
      start_index: start === undefined ? text.start : text.start + start,
      end_index: end === undefined ? text.end : text.start + end,
    },
  }));
}
