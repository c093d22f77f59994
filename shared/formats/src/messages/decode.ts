import {
  type AssistantPart,
  type FinishEvent,
  type GenerateEvent,
  toErrorEvent,
} from '@model-gateway/canonical';
import { type Edit, memberText, parseExact, spliceTopLevel } from '@model-gateway/json';
import { sseEvent } from '@model-gateway/sse';
import { AnswerIds } from '../upstream/call-ids.ts';
import type { Decoder } from '../upstream/dialect.ts';
import { TranslatedEvents } from '../upstream/event-stream.ts';
import { throwIfFailed } from '../upstream/finish-reason.ts';
import { editEvent, withoutError } from '../upstream/loose-events.ts';
import { errorEvents, malformed } from '../upstream/malformed.ts';
import { PassedEvents, type PassedReader } from '../upstream/passed-events.ts';
import { isBlank, parseObject, type StreamEvent, TextEvents } from '../upstream/read-json.ts';
import { inventedCallId } from '../upstream/tools.ts';
import { verbatimBody, WholeBody } from '../upstream/whole-body.ts';
import {
  type MessagesStreamEvent,
  type MessagesUpstreamAnswer,
  messagesTokenCount,
  messagesUpstreamAnswer,
} from './answer.ts';
import { Blocks, type BlocksOptions } from './decode-blocks.ts';
import { Events, finish, parseEvent, translation, withoutStopReason } from './decode-events.ts';
import { answerFailure } from './decode-failure.ts';

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

/**
 * Mends the events of blocks that are passed on. Clients number blocks in the order in which they start, whatever the indexes of the
 * upstream say, and need an id of each call.
 */
class BlockMender {
  readonly #seed: string;
  /** The places of blocks by the upstream's indexes. */
  readonly #places = new Map<number, number>();
  #count = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  /** Edits an event if it has to; returns true if it did. */
  mends(source: StreamEvent, event: MessagesStreamEvent): boolean {
    switch (event.type) {
      case 'content_block_start':
      case 'content_block_delta':
      case 'content_block_stop':
        return this.#edits(source, event);
      default:
        return false;
    }
  }

  #edits(source: StreamEvent, event: Extract<MessagesStreamEvent, { index?: unknown }>): boolean {
    const edits = new Map<string, Edit>();
    const place = this.#placeOf(event);
    if (place !== event.index) edits.set('index', String(place));
    if (event.type === 'content_block_start') {
      const { type, id } = event.content_block;
      const isNameless = type === 'tool_use' && !id;
      if (isNameless)
        edits.set(
          'content_block',
          JSON.stringify({ ...event.content_block, id: inventedCallId(this.#seed, place) }),
        );
    }
    if (edits.size > 0) editEvent(source, edits);
    return edits.size > 0;
  }

  #placeOf({ type, index }: Extract<MessagesStreamEvent, { index?: unknown }>): number {
    if (type !== 'content_block_start')
      return this.#places.get(index ?? this.#count - 1) ?? Math.max(0, this.#count - 1);
    const place = this.#count++;
    this.#places.set(index ?? place, place);
    return place;
  }
}

/** Renames the calls of an answer that is passed on if their ids are in the client's history: clients pair results by id alone. */
export class PassedIds {
  readonly #seed: string;
  /** The client's JSON. */
  readonly #text: Buffer;
  #ids: AnswerIds | undefined;

  constructor(seed: string, text: Buffer) {
    this.#seed = seed;
    this.#text = text;
  }

  /** Returns the bytes of events with calls renamed. */
  inEvents(whole: Buffer, events: readonly StreamEvent[]): Buffer {
    let text: string | undefined;
    let written = '';
    /** The end of what is written. */
    let at = 0;
    for (const { data } of events) {
      const renamed = data.includes('"tool_use"') ? this.#inEvent(data) : data;
      if (renamed === data) continue;
      text ??= whole.toString('utf8');
      const found = text.indexOf(data, at);
      // Data of several lines is not there in one piece.
      if (found < 0) continue;
      written += text.slice(at, found) + renamed;
      at = found + data.length;
    }
    return text === undefined ? whole : Buffer.from(written + text.slice(at));
  }

  /** Returns a whole answer with calls renamed. `content` is its parsed content. */
  inAnswer(bytes: Buffer, content: unknown): Buffer {
    if (!Array.isArray(content)) return bytes;
    const ids = content.map(block => (isCounted(block) ? this.#of(block.id) : undefined));
    if (ids.every((id, at) => id === undefined || id === content[at].id)) return bytes;
    const blocks = parseExact(memberText(bytes, 'content') ?? '[]') as Block[];
    const renamed = blocks.map((block, at) => (ids[at] === undefined ? block : { ...block, id: ids[at] }));
    return spliceTopLevel(bytes, new Map([['content', JSON.stringify(renamed)]]));
  }

  #inEvent(data: string): string {
    const block = memberText(Buffer.from(data), 'content_block');
    const parsed: unknown = block && JSON.parse(block);
    if (!block || !isCounted(parsed)) return data;
    const id = this.#of(parsed.id);
    if (id === parsed.id) return data;
    const renamed = spliceTopLevel(Buffer.from(block), new Map([['id', JSON.stringify(id)]])).toString();
    return spliceTopLevel(Buffer.from(data), new Map([['content_block', renamed]])).toString();
  }

  #of(id: string): string {
    this.#ids ??= new AnswerIds({
      seed: this.#seed,
      history: [{ role: 'assistant', content: callsIn(this.#text) }],
    });
    return this.#ids.of(id);
  }
}

interface Block {
  type?: unknown;
  id?: unknown;
}

/** Ids that count the calls of an answer, such as `call_0` and `functions.f:0`, or that are too short to be of chance. */
const counted = /^.{0,11}$|[^a-zA-Z0-9]\d{1,4}$/;

/** True for a call whose id an upstream may use again. */
function isCounted(block: unknown): block is Block & { id: string } {
  const { type, id } = Object(block) as Block;
  return type === 'tool_use' && typeof id === 'string' && counted.test(id);
}

function callsIn(text: Buffer): AssistantPart[] {
  const messages: unknown = JSON.parse(memberText(text, 'messages') ?? '[]');
  if (!Array.isArray(messages)) return [];
  return messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).flatMap(callIn);
}

function callIn(block: unknown): AssistantPart[] {
  const { type, id } = Object(block) as Block;
  return type === 'tool_use' && typeof id === 'string'
    ? [{ type: 'tool-call', id, name: '', arguments: '' }]
    : [];
}
