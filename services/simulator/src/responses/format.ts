import type { ApiError } from '../api-error.ts';
import { bearer } from '../body.ts';
import type { Format, StreamPosition } from '../format.ts';
import type { Answer } from '../responder/answer.ts';
import { Store } from './history.ts';
import type { Item } from './item.ts';
import { failed, outputOf, whole } from './output.ts';
import { type ParsedResponses, parse, parseCount } from './parse.ts';
import { event, stream } from './stream.ts';

/** OpenAI's responses, with what they remember of one another. */
export function createResponses() {
  const store = new Store();
  const kept = (parsed: ParsedResponses, answer: Answer) => {
    if (parsed.request.store === false) return;
    // The output was made here, so it needs no validation.
    store.keep(`resp_${answer.id}`, parsed.items, outputOf(parsed, answer) as Item[]);
  };
  const format: Format<ParsedResponses> = {
    overloaded: 503,
    headers: requestId => ({ 'x-request-id': requestId, 'openai-version': '2020-10-01' }),
    key: bearer,
    parse: body => parse(body, store),
    whole(parsed, answer) {
      kept(parsed, answer);
      return whole(parsed, answer);
    },
    stream(parsed, answer) {
      kept(parsed, answer);
      return stream(parsed, answer);
    },
    errorBody,
    errorEvent,
  };
  return { format, parseCount: (body: unknown) => parseCount(body, store) };
}

const types: Record<number, string> = { 403: 'permission_error', 429: 'rate_limit_error' };

/** An error object as OpenAI writes it. */
function errorBody({ status, message, code, param }: ApiError) {
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  return { error: { message, type, param, code } };
}

function errorEvent(
  { message, code, param }: ApiError,
  _requestId: string,
  { parsed, answer, written }: StreamPosition<ParsedResponses>,
): string {
  const response = failed(parsed, answer, { code: code ?? 'server_error', message });
  return (
    event('error', written, { code: code ?? 'server_error', message, param }) +
    event('response.failed', written + 1, { response })
  );
}
