import {
  type FinishEvent,
  type FinishReason,
  GatewayError,
  type GenerateEvent,
  toErrorEvent,
  type Usage,
} from '@model-gateway/canonical';
import { memberText, parseExact } from '@model-gateway/json';
import { sseEvent } from '@model-gateway/sse';
import type { Decoder } from '../upstream/dialect.ts';
import { TranslatedEvents } from '../upstream/event-stream.ts';
import { finishReason, throwIfFailed } from '../upstream/finish-reason.ts';
import { editEvent, laterTotals, withoutError } from '../upstream/loose-events.ts';
import { errorEvents, malformed, twoAnswers, wellFormed } from '../upstream/malformed.ts';
import { PassedEvents, type PassedReader } from '../upstream/passed-events.ts';
import { eventObject, isBlank, parseObject, type StreamEvent, TextEvents } from '../upstream/read-json.ts';
import { verbatimBody, WholeBody } from '../upstream/whole-body.ts';
import { BlockMender } from './block-mender.ts';
import { Blocks, type BlocksOptions } from './decode-blocks.ts';
import { answerFailure } from './decode-failure.ts';
import type { PassedIds } from './decode-passed-ids.ts';
import {
  type MessagesStreamEvent,
  type MessagesUpstreamAnswer,
  type MessagesUpstreamBlock,
  type MessagesUpstreamDelta,
  type MessagesUpstreamStop,
  type MessagesUpstreamUsage,
  messagesStreamEvent,
  messagesTokenCount,
  messagesUpstreamAnswer,
} from './upstream-answer.ts';
import { readUsage } from './usage.ts';

/** The form of the decoded response: the upstream's bytes, or parts. */
export type StreamOutput = Passing | BlocksOptions;

/** A stream that is passed on. `ids` are those of its calls. */
type Passing = { verbatim: true; ids?: PassedIds } & Pick<BlocksOptions, 'seed'>;

export function decodeStream(output: StreamOutput): Decoder {
  if ('verbatim' in output) return new PassedEvents(new Reader(output));
  const reader = new Reader();
  const blocks = new Blocks(output);
  return new TranslatedEvents(reader, {
    add: (event, { data }) => translate(event, data, blocks),
    end: () => [...blocks.stopAll(), reader.finish(blocks)],
  });
}

/** Reads the usage, the errors and the end of a stream. */
class Reader implements PassedReader<MessagesStreamEvent> {
  readonly hasHeartbeats = true;
  readonly begun = true;
  /** Some relays end every stream as chat does. */
  readonly endMark = 'ends-valid';
  readonly ignoresRest = true;
  readonly mark = sseEvent('{"type":"message_stop"}', 'message_stop');
  /** Set if the stream is passed on, so that text need not be parsed. */
  #texts: TextEvents | undefined;
  /** Set if the stream is passed on. */
  readonly #mender: BlockMender | undefined;
  readonly #ids: PassedIds | undefined;
  #id: string | undefined;
  #hasBlocks = false;
  /** True if content followed the stop reason. */
  #goesOn = false;
  #usage: MessagesUpstreamUsage | undefined;
  #stop: MessagesUpstreamStop = {};
  characters = 0;
  ended = false;

  constructor(passing?: Passing) {
    if (!passing) return;
    this.#texts = new TextEvents();
    this.#mender = new BlockMender(passing.seed);
    this.#ids = passing.ids;
  }

  /** True after the stop reason. One that content followed is no sign of the end. */
  get complete(): boolean {
    return this.valid && !this.#goesOn;
  }

  get valid(): boolean {
    return Boolean(this.#stop.stop_reason);
  }

  get usage(): Usage | null {
    return this.#usage ? readUsage(this.#usage) : null;
  }

  readTexts(whole: Buffer): boolean {
    return this.#addText(this.#texts?.charactersIn(whole));
  }

  /** Counts text that was not parsed; returns false if there is none. */
  #addText(characters: number | undefined): boolean {
    if (characters === undefined) return false;
    this.characters += characters;
    this.#goesOn ||= this.valid;
    return true;
  }

  read(source: StreamEvent, whole: Buffer): MessagesStreamEvent | undefined {
    if (this.#addText(this.#texts?.charactersOf(source))) return undefined;
    const event = parseEvent(source);
    // Text of other blocks then looks the same.
    if (event && this.#mender?.mends(source, event)) this.#texts = undefined;
    switch (event?.type) {
      case 'message_start':
        if (this.#isAgain(event.message.id ?? '')) source.sent = '';
        if (event.message.usage) this.#usage = laterTotals(this.#usage, event.message.usage);
        break;
      case 'content_block_start':
        this.#hasBlocks = true;
        this.#goesOn ||= this.valid;
        break;
      case 'content_block_delta':
        this.#goesOn ||= this.valid;
        this.characters += charactersOf(event.delta);
        if (event.delta.type === 'text_delta') this.#texts?.learn(source, event, 'text', textIn, whole);
        break;
      case 'message_delta':
        if (event.usage) this.#usage = laterTotals(this.#usage, event.usage);
        throwIfFailed(event.delta.stop_reason);
        if (event.delta.stop_reason) {
          this.#stop = event.delta;
          this.#goesOn = false;
        }
        break;
      case 'message_stop':
        if (!this.valid) throw withoutStopReason();
        this.ended = true;
        break;
      case 'error':
        throw answerFailure(event.error);
    }
    return event;
  }

  passed(whole: Buffer, events: readonly StreamEvent[]): Buffer {
    return this.#ids?.inEvents(whole, events) ?? whole;
  }

  finish(blocks?: Blocks): FinishEvent {
    return finish(this.#stop, this.#usage, blocks);
  }

  /** True for the start of the response that has begun already. @throws GatewayError for that of another one */
  #isAgain(id: string): boolean {
    const first = this.#id === undefined;
    this.#id ??= id;
    if (id !== this.#id || (id === '' && this.#hasBlocks)) throw twoAnswers();
    return !first;
  }
}

/** Returns the parts in an event. `data` is the event's JSON. */
function translate(event: MessagesStreamEvent, data: string, blocks: Blocks): GenerateEvent[] {
  switch (event.type) {
    case 'message_start': {
      const { id, model, usage } = event.message;
      return [{ type: 'start', id: id ?? '', model: model ?? '', ...(usage && { usage: readUsage(usage) }) }];
    }
    case 'content_block_start':
      return blocks.start(event.index, withExactInput(event.content_block, data));
    case 'content_block_delta':
      return blocks.delta(event.index, event.delta);
    case 'content_block_stop':
      return blocks.stop(event.index);
    default:
      return [];
  }
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

/** Parses a call's input again with its exact numbers, for upstreams that do not stream it. */
function withExactInput(block: MessagesUpstreamBlock, data: string): MessagesUpstreamBlock {
  if (!block.input || Object.keys(block.input).length === 0) return block;
  const text = memberText(Buffer.from(data), 'content_block');
  const input = text && memberText(Buffer.from(text), 'input');
  return input ? { ...block, input: parseExact(input) } : block;
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

const known = new Set<unknown>(messagesStreamEvent.options.map(option => option.shape.type.value));

/** Parses an event; undefined for an unknown type. @throws GatewayError for a malformed event */
function parseEvent(event: StreamEvent): MessagesStreamEvent | undefined {
  const value = eventObject(event);
  if (value && value.type === undefined && known.has(event.event)) value.type = event.event;
  const isKnown = known.has(value?.type);
  if (value && typeof value.type === 'string' && !isKnown) return undefined;
  // Some upstreams send a bare error object without a type.
  if (value?.error && value.type !== 'error') {
    if (!isKnown || !isBlank(value.error)) throw answerFailure(value.error);
    editEvent(event, withoutError);
  }
  return wellFormed(messagesStreamEvent, value);
}

function withoutStopReason(): GatewayError {
  return new GatewayError('upstream', 'The upstream ended its answer without a stop reason.');
}

function finish(
  { stop_reason: raw, stop_sequence: sequence, stop_details: details }: MessagesUpstreamStop,
  usage: MessagesUpstreamUsage | undefined,
  blocks?: Blocks,
): FinishEvent {
  return {
    type: 'finish',
    reason: reasonOf(raw, blocks),
    raw: raw ?? null,
    usage: usage ? readUsage(usage) : null,
    ...(sequence && { stopSequence: sequence }),
    ...(details?.explanation && { explanation: details.explanation }),
  };
}

function textIn(event: MessagesStreamEvent): unknown {
  return event.type === 'content_block_delta' ? event.delta.text : undefined;
}

/** Counts the characters of a delta, from which tokens are estimated. */
function charactersOf({ text, thinking, partial_json: json }: MessagesUpstreamDelta): number {
  return (text?.length ?? 0) + (thinking?.length ?? 0) + (json?.length ?? 0);
}

function reasonOf(raw: string | null | undefined, blocks: Blocks | undefined): FinishReason {
  const reason = finishReason(raw);
  // If no tool of the client was called, the call was of the answer tool.
  if (reason === 'tool-calls') return blocks && !blocks.called ? 'stop' : reason;
  return reason === 'stop' && blocks?.called ? 'tool-calls' : reason;
}

/** Reads a token count. */
export function readCount(body: unknown): number | undefined {
  return messagesTokenCount.safeParse(body).data?.input_tokens;
}
