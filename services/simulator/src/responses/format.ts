import { rendererOf, renderHead } from '@model-gateway/formats/responses';
import { dataJson, sseEvent } from '@model-gateway/sse';
import { errorBodyWith, openai } from '../chat/format.ts';
import type { ApiError } from '../common/api-error.ts';
import { type Format, type StreamPosition, withoutLast } from '../common/format.ts';
import { rendered } from '../common/rendered.ts';
import type { Answer } from '../responder/answer.ts';
import { encrypted, Store } from './history.ts';
import type { Item } from './item.ts';
import { type ParsedResponses, parse, parseCount } from './parse.ts';

const written = rendered<ParsedResponses>(
  ({ rendering, prompt, summarizes, encrypts, searches }, { id }) => ({
    renderer: rendererOf(rendering),
    idPrefix: 'resp_',
    callPrefix: 'call_',
    model: prompt.model,
    searches,
    hides: !summarizes && 'reasoning',
    // Reasoning is the first item.
    sign: ({ kind, text }) =>
      kind === 'reasoning' && encrypts
        ? { format: 'responses', value: encrypted(`rs_${id}_0`, text) }
        : undefined,
  }),
);

/** OpenAI's responses, with a store for earlier responses. */
export function createResponses() {
  const store = new Store();
  const keep = (parsed: ParsedResponses, answer: Answer) => {
    if (!parsed.stores) return;
    // The simulator made the output, so it needs no validation.
    const output = () => (written.whole(parsed, answer) as { output: Item[] }).output;
    store.keep(`resp_${answer.id}`, parsed.items, output);
  };
  const format: Format<ParsedResponses> = {
    ...openai,
    parse: body => parse(body, store),
    whole(parsed, answer) {
      keep(parsed, answer);
      return written.whole(parsed, answer);
    },
    stream(parsed, answer) {
      keep(parsed, answer);
      const flow = written.stream(parsed, answer);
      // The vendor ends without `[DONE]`.
      return { ...flow, closing: withoutLast(flow.closing) };
    },
    errorBody,
    errorEvent,
  };
  const count = (input_tokens: number) => ({ object: 'response.input_tokens', input_tokens });
  return { format, parseCount: (body: unknown) => parseCount(body, store), count };
}

/** An error object as OpenAI writes it in responses. */
const errorBody = errorBodyWith({ 403: 'permission_error', 429: 'rate_limit_error' });

function errorEvent(
  { message, param, code: given }: ApiError,
  _requestId: string,
  { parsed: { rendering }, answer: { id, created }, written }: StreamPosition<ParsedResponses>,
): string {
  const code = given ?? 'server_error';
  const head = renderHead({ id: `resp_${id}`, model: '' }, rendering.request, { requestId: id, created });
  const response = { ...head, status: 'failed', error: { code, message } };
  return (
    event('error', written, { code, message, param }) + event('response.failed', written + 1, { response })
  );
}

function event(type: string, sequence_number: number, fields: object): string {
  return sseEvent(dataJson({ type, sequence_number, ...fields }), type);
}
