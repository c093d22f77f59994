import type { ApiError } from '../api-error.ts';
import { openai } from '../chat/format.ts';
import type { Format, StreamPosition } from '../format.ts';
import type { Answer } from '../responder/answer.ts';
import { Store } from './history.ts';
import type { Item } from './item.ts';
import { outputOf, unfinished, whole } from './output.ts';
import { type ParsedResponses, parse, parseCount } from './parse.ts';
import { event, stream } from './stream.ts';

/** OpenAI's responses, with a store for earlier responses. */
export function createResponses() {
  const store = new Store();
  const stored = (parsed: ParsedResponses, answer: Answer) => {
    // The simulator made the output, so it needs no validation.
    if (parsed.request.store !== false)
      store.keep(`resp_${answer.id}`, parsed.items, outputOf(parsed, answer) as Item[]);
    return [parsed, answer] as const;
  };
  const format: Format<ParsedResponses> = {
    ...openai,
    parse: body => parse(body, store),
    whole: (...request) => whole(...stored(...request)),
    stream: (...request) => stream(...stored(...request)),
    errorBody,
    errorEvent,
  };
  return { format, parseCount: (body: unknown) => parseCount(body, store) };
}

const types: Record<number, string> = { 403: 'permission_error', 429: 'rate_limit_error' };

/** An error object as OpenAI writes it in responses. */
function errorBody({ status, message, code, param }: ApiError) {
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  return { error: { message, type, param, code } };
}

function errorEvent(
  { message, param, code: given }: ApiError,
  _requestId: string,
  { parsed, answer, written }: StreamPosition<ParsedResponses>,
): string {
  const code = given ?? 'server_error';
  const response = { ...unfinished(parsed, answer), status: 'failed', error: { code, message } };
  return (
    event('error', written, { code, message, param }) + event('response.failed', written + 1, { response })
  );
}
