import type { OpaquePart } from '@model-gateway/canonical';
import { type Answer, cited, type Reply, source } from '../responder/answer.ts';
import type { ParsedMessages } from './parse.ts';

/** The blocks of a web search, if any. */
export function searchBlocks({ prompt, searches }: ParsedMessages, { id, replies }: Answer): OpaquePart[] {
  const [reply] = replies as [Reply];
  if (cited(reply, searches) === null) return [];
  // Only the beginning of the id is the same for the same prompt.
  const call = `srvtoolu_${id.slice(0, 16)}`;
  const input = { query: prompt.question.slice(0, 100).toWellFormed() };
  const result = { type: 'web_search_result', ...source, encrypted_content: 'EqQB', page_age: null };
  return [
    { type: 'server_tool_use', id: call, name: 'web_search', input },
    { type: 'web_search_tool_result', tool_use_id: call, content: [result] },
  ].map(value => ({ type: 'opaque', format: 'messages', value }));
}
