import type { Citation } from '@model-gateway/canonical';
import type { ResponsesUpstreamAnnotation } from '@model-gateway/wire';

/** The pages that a text cites; citations of files have no place elsewhere. */
export function decodeCitations(given: readonly ResponsesUpstreamAnnotation[]): Citation[] {
  return given.flatMap(({ type, url, title, start_index: start, end_index: end }) => {
    if (type !== 'url_citation' || !url) return [];
    const place = typeof start === 'number' && typeof end === 'number' ? { start, end } : {};
    return [{ url, title: title ?? '', ...place }];
  });
}
