import type { Answer, Thought } from '../mind/answer.ts';
import { cited, source } from '../mind/source.ts';
import type { MessagesAsked } from './parse.ts';

/** A search that the vendor ran: its blocks, and how the text cites what it found; undefined where none was run. */
export function searchOf({ prompt, searches }: MessagesAsked, { id, thoughts }: Answer) {
  const [thought] = thoughts as [Thought];
  if (cited(thought, searches) === null) return undefined;
  // The same for the same prompt: the rest of the id counts answers.
  const call = `srvtoolu_${id.slice(0, 16)}`;
  const input = { query: prompt.question.slice(0, 100).toWellFormed() };
  const result = { type: 'web_search_result', ...source, encrypted_content: 'EqQB', page_age: null };
  return {
    blocks: [
      { type: 'server_tool_use', id: call, name: 'web_search', input },
      { type: 'web_search_tool_result', tool_use_id: call, content: [result] },
    ],
    citation: {
      type: 'web_search_result_location',
      ...source,
      cited_text: 'One base URL for every model.',
      encrypted_index: 'Eo8B',
    },
  };
}
