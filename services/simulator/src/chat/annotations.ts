import type { Thought } from '../mind/answer.ts';
import { cited, source } from '../mind/source.ts';

/** Where a message's text comes from. */
export function annotationsOf(thought: Thought, searches: boolean) {
  const text = cited(thought, searches);
  if (text === null) return [];
  return [{ type: 'url_citation', url_citation: { start_index: 0, end_index: text.length, ...source } }];
}
