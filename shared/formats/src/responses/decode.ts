import { type FinishEvent, GatewayError, type GenerateEvent, type Usage } from '@model-gateway/canonical';
import type { Decoder } from '../upstream/dialect.ts';
import { TranslatedEvents } from '../upstream/event-stream.ts';
import { editEvent, withoutError } from '../upstream/loose-events.ts';
import { errorEvents, faultOf, malformed } from '../upstream/malformed.ts';
import { PassedEvents, type PassedReader } from '../upstream/passed-events.ts';
import { isBlank, parseObject, type StreamEvent } from '../upstream/read-json.ts';
import { verbatimBody, WholeBody } from '../upstream/whole-body.ts';
import {
  type ResponsesUpstreamAnswer,
  type ResponsesUpstreamItem,
  responsesTokenCount,
  responsesUpstreamAnswer,
  responsesUpstreamMessage,
} from './answer.ts';
import { Events, ItemMender, readFields, translation } from './decode-events.ts';
import type { ItemsOptions } from './decode-items.ts';
import {
  Answer,
  answerFailure,
  decodeEnding,
  type EndStatus,
  endStatus,
  outputFlags,
} from './decode-items.ts';
import { type ResponsesStreamEvent, responsesEventTypes } from './events.ts';
import { readUsage } from './usage.ts';

export { decodeFailure } from '../upstream/decode-openai-failure.ts';

/** The decoder's output: the upstream's bytes, or translated parts. */
export type StreamOutput = { verbatim: true } | ItemsOptions;

export function decodeStream(output: StreamOutput): Decoder {
  if ('verbatim' in output) return new PassedEvents(new PassedStream(lifecycle));
  return translated(output, () => {});
}

/** Decodes a stream that was sent in place of a whole response. */
export function decodeEvents(options: ItemsOptions): Decoder {
  return translated(options, response => refuseLogprobs(response, 'a stream instead of a complete response'));
}

/** @param check is called with the response at its end */
function translated(
  options: ItemsOptions,
  check: (response: Partial<ResponsesUpstreamAnswer>) => void,
): Decoder {
  const events = new Events(responsesEventTypes);
  const { add, end } = translation(options, events);
  return new TranslatedEvents(events, {
    add,
    end: () => {
      check(events.response);
      return end();
    },
  });
}

/** The types of the events about the response as a whole. */
const lifecycle = new Set(
  ['created', 'queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled'].map(
    step => `response.${step}`,
  ),
);

/** Reads a stream that is passed on. */
class PassedStream extends Events implements PassedReader<ResponsesStreamEvent> {
  readonly #mender = new ItemMender();

  override read(source: StreamEvent): ResponsesStreamEvent | undefined {
    const fields = readFields(source);
    if (fields.error && isBlank(fields.error)) editEvent(source, withoutError);
    this.#mender.mend(source, fields);
    return this.record(fields);
  }

  finish(): FinishEvent {
    return finish(this.status, this.response, this.usage);
  }
}

/** Passes a non-streamed response or a token count unchanged, once it is complete and valid. */
export class WholeDecoder extends WholeBody {
  protected decode(bytes: Buffer): GenerateEvent[] {
    return [verbatimBody(bytes), readEnding(parseObject(bytes.toString('utf8')))];
  }
}

/** Returns the end of a non-streamed response. @throws GatewayError if it is malformed or failed */
function readEnding(body: Record<string, unknown> | undefined): FinishEvent {
  const answer = responsesUpstreamAnswer.safeParse(body);
  if (answer.success) return finish(endStatus(answer.data), answer.data, usageOf(answer.data));
  if (body?.error) throw answerFailure(body);
  if (!responsesTokenCount.safeParse(body).success) throw malformed('answer', faultOf(answer.error, body));
  return { type: 'finish', reason: 'stop', raw: null, usage: null };
}

/** Decodes a non-streamed response sent in place of a stream. Undefined if it is not a response. */
export function decodeBody(body: Buffer, options: ItemsOptions): GenerateEvent[] | undefined {
  const { data } = responsesUpstreamAnswer.safeParse(parseObject(body.toString('utf8')));
  if (!data) return undefined;
  try {
    const status = endStatus(data);
    refuseLogprobs(data, 'a complete response instead of a stream');
    return new Answer(options).end(status, data, usageOf(data));
  } catch (thrown) {
    return errorEvents(thrown);
  }
}

/** @throws GatewayError for log probabilities, which the client requested and parts cannot hold */
function refuseLogprobs({ output }: Partial<ResponsesUpstreamAnswer>, sent: string): void {
  if (output?.some(hasLogprobs)) throw new GatewayError('upstream', `The upstream sent ${sent}.`);
}

function hasLogprobs(item: ResponsesUpstreamItem): boolean {
  const { data } = responsesUpstreamMessage.safeParse(item);
  return data?.content?.some(({ logprobs }) => Array.isArray(logprobs) && logprobs.length > 0) ?? false;
}

function usageOf(response: Partial<ResponsesUpstreamAnswer>): Usage | null {
  return response.usage ? readUsage(response.usage, response) : null;
}

function finish(
  status: EndStatus,
  response: Partial<ResponsesUpstreamAnswer>,
  usage: Usage | null,
): FinishEvent {
  return { type: 'finish', ...decodeEnding(status, response, outputFlags(response.output ?? [])), usage };
}

/** Reads an upstream's token count of a request. */
export function readCount(body: unknown): number | undefined {
  return responsesTokenCount.safeParse(body).data?.input_tokens;
}
