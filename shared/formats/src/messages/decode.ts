import { type FinishEvent, type GenerateEvent, toErrorEvent } from '@model-gateway/canonical';
import { memberText, parseExact } from '@model-gateway/json';
import { sseEvent } from '@model-gateway/sse';
import type { Decoder } from '../upstream/dialect.ts';
import { TranslatedEvents } from '../upstream/event-stream.ts';
import { throwIfFailed } from '../upstream/finish-reason.ts';
import { editEvent, withoutError } from '../upstream/loose-events.ts';
import { errorEvents, malformed } from '../upstream/malformed.ts';
import { PassedEvents, type PassedReader } from '../upstream/passed-events.ts';
import { isBlank, parseObject, type StreamEvent, TextEvents } from '../upstream/read-json.ts';
import { verbatimBody, WholeBody } from '../upstream/whole-body.ts';
import { BlockMender } from './block-mender.ts';
import { Blocks, type BlocksOptions } from './decode-blocks.ts';
import { Events, finish, parseEvent, translation, withoutStopReason } from './decode-events.ts';
import { answerFailure } from './decode-failure.ts';
import type { PassedIds } from './decode-passed-ids.ts';
import {
  type MessagesStreamEvent,
  type MessagesUpstreamAnswer,
  messagesTokenCount,
  messagesUpstreamAnswer,
} from './upstream-answer.ts';

/** The form of the decoded response: the upstream's bytes, or parts. */
export type StreamOutput = Passing | BlocksOptions;

/** A stream that is passed on. `ids` are those of its calls. */
type Passing = { verbatim: true; ids?: PassedIds } & Pick<BlocksOptions, 'seed'>;

export function decodeStream(output: StreamOutput): Decoder {
  if ('verbatim' in output) return new PassedEvents(new PassedStream(output));
  const events = new Events();
  const { add, end } = translation(output, events);
  return new TranslatedEvents(events, {
    add: (event, source) => add(withExactInput(event, source.data), source),
    end,
  });
}

/** Reads a stream that is passed on. */
class PassedStream extends Events implements PassedReader<MessagesStreamEvent> {
  readonly begun = true;
  readonly mark = sseEvent('{"type":"message_stop"}', 'message_stop');
  /** Set while text need not be parsed. */
  #texts: TextEvents | undefined = new TextEvents();
  readonly #mender: BlockMender;
  readonly #ids: PassedIds | undefined;

  constructor({ seed, ids }: Passing) {
    super();
    this.#mender = new BlockMender(seed);
    this.#ids = ids;
  }

  readTexts(whole: Buffer): boolean {
    return this.addText(this.#texts?.charactersIn(whole));
  }

  override read(source: StreamEvent, whole: Buffer): MessagesStreamEvent | undefined {
    if (this.addText(this.#texts?.charactersOf(source))) return undefined;
    const event = parseEvent(source);
    if (!event) return undefined;
    if ('error' in event && event.type !== 'error') editEvent(source, withoutError);
    // Text of other blocks then looks the same.
    if (this.#mender.mends(source, event)) this.#texts = undefined;
    if (this.record(event) === 'again') source.sent = '';
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
      this.#texts?.learn(source, event, 'text', textIn, whole);
    return event;
  }

  passed(whole: Buffer, events: readonly StreamEvent[]): Buffer {
    return this.#ids?.inEvents(whole, events) ?? whole;
  }
}

function textIn(event: MessagesStreamEvent): unknown {
  return event.type === 'content_block_delta' ? event.delta.text : undefined;
}

/** Passes a non-streamed response or a token count on byte for byte, after it was received and validated. */
export class WholeDecoder extends WholeBody {
  readonly #ids: PassedIds | undefined;

  constructor(ids?: PassedIds) {
    super();
    this.#ids = ids;
  }

  protected decode(bytes: Buffer): GenerateEvent[] {
    const body = parseObject(bytes.toString('utf8'));
    const end = readEnding(body);
    return [verbatimBody(this.#ids?.inAnswer(bytes, body?.content) ?? bytes, body), end];
  }
}

/** Decodes a JSON body that was returned instead of a stream; undefined if it is not a response. */
export function decodeBody(body: Buffer, options: BlocksOptions): GenerateEvent[] | undefined {
  const read = messagesUpstreamAnswer.safeParse(parseObject(body.toString('utf8')));
  if (!read.success) return undefined;
  if (isUnended(read.data)) return [toErrorEvent(withoutStopReason())];
  const { id, model, usage } = read.data;
  const blocks = new Blocks(options);
  try {
    throwIfFailed(read.data.stop_reason);
    const content = messagesUpstreamAnswer.shape.content.parse(
      parseExact(memberText(body, 'content') ?? '[]'),
    );
    const parts = (content ?? []).flatMap((block, i) => [...blocks.start(i, block), ...blocks.stop(i)]);
    const start: GenerateEvent = { type: 'start', id: id ?? '', model: model ?? '' };
    return [start, ...parts, finish(read.data, usage ?? undefined, blocks)];
  } catch (thrown) {
    return errorEvents(thrown);
  }
}

/** Parses a call's input again with its exact numbers, for upstreams that do not stream it. `data` is the event's JSON. */
function withExactInput(event: MessagesStreamEvent, data: string): MessagesStreamEvent {
  if (event.type !== 'content_block_start') return event;
  const { content_block: block } = event;
  if (!block.input || Object.keys(block.input).length === 0) return event;
  const text = memberText(Buffer.from(data), 'content_block');
  const input = text && memberText(Buffer.from(text), 'input');
  return input ? { ...event, content_block: { ...block, input: parseExact(input) } } : event;
}

/** Reads how a non-streamed response ended. @throws GatewayError for an invalid or failed response */
function readEnding(body: Record<string, unknown> | undefined): FinishEvent {
  const { data } = messagesUpstreamAnswer.safeParse(body);
  if (body?.error && !(data && isBlank(body.error))) throw answerFailure(body.error);
  if (!data) {
    if (!messagesTokenCount.safeParse(body).success)
      throw malformed('answer', 'it is neither a message nor a token count');
    return { type: 'finish', reason: 'stop', raw: null, usage: null };
  }
  if (isUnended(data)) throw withoutStopReason();
  throwIfFailed(data.stop_reason);
  return finish(data, data.usage ?? undefined);
}

/** True for a whole response without an end and without content. One with content is whole without a stop reason, too. */
function isUnended({ stop_reason: reason, content }: MessagesUpstreamAnswer): boolean {
  return !reason && !content?.length;
}

/** Reads a token count. */
export function readCount(body: unknown): number | undefined {
  return messagesTokenCount.safeParse(body).data?.input_tokens;
}
