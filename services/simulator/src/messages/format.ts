import type { OpaquePart } from '@model-gateway/canonical';
import { messages as endpoint } from '@model-gateway/formats/messages';
import { dataJson, sseEvent } from '@model-gateway/sse';
import type { ApiError } from '../common/api-error.ts';
import { bearer } from '../common/body.ts';
import type { Format } from '../common/format.ts';
import { rendered } from '../common/rendered.ts';
import { type Answer, cited, type Reply, source } from '../responder/answer.ts';
import { sign } from './checks.ts';
import { type ParsedMessages, parse } from './parse.ts';

const { whole, stream } = rendered<ParsedMessages>((parsed, answer) => {
  const { thinking, prompt, searches } = parsed;
  const { model } = prompt;
  const redacts = thinking === 'redacted';
  return {
    renderer: endpoint.render({ model, hideThinking: thinking === 'omitted' }),
    idPrefix: 'msg_',
    callPrefix: 'toolu_',
    model,
    searches,
    redacts,
    hides: redacts && 'reasoning',
    sign: ({ kind, text }) => (kind === 'reasoning' ? { format: 'messages', value: sign(text) } : undefined),
    before: searchBlocks(parsed, answer),
  };
});

/** Anthropic's messages. */
export const messages: Format<ParsedMessages> = {
  overloaded: 529,
  headers: requestId => ({ 'request-id': requestId, 'anthropic-organization-id': 'org_simulator' }),
  key: headers => headers['x-api-key']?.toString() ?? bearer(headers),
  parse,
  whole,
  stream(parsed, answer) {
    const flow = stream(parsed, answer);
    return { ...flow, opening: [...flow.opening, sseEvent('{"type":"ping"}', 'ping')] };
  },
  errorBody,
  errorEvent: (error, requestId) => sseEvent(dataJson(errorBody(error, requestId)), 'error'),
};

const types: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** An error object as Anthropic writes it. */
function errorBody({ status, message }: ApiError, requestId: string) {
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return { type: 'error', error: { type, message }, request_id: requestId };
}

/** The blocks of a web search, if any. */
function searchBlocks({ prompt, searches }: ParsedMessages, { id, replies }: Answer): OpaquePart[] {
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
