import { createRequire } from 'node:module';
import type { GenerateEvent, Usage } from '@model-gateway/canonical';
import type { Turn } from '@model-gateway/json';
import { EventTooLarge, maxSseEvent, sseEvent } from '@model-gateway/sse';
import type { EventStreamCodec } from '@smithy/eventstream-codec';
import { awsError } from './decode-aws-failure.ts';
import type { Decoder } from './dialect.ts';
import { errorEvents, malformed } from './malformed.ts';
import { parseObject } from './read-json.ts';

/** The media type of AWS's binary event stream, application/vnd.amazon.eventstream. */
export const awsEventStream = 'application/vnd.amazon.eventstream';

/** Converts the payload of an event to a server-sent event. `type` is the frame's `:event-type`. */
type ToSse = (type: string, payload: string) => string;

/** An event whose payload is the event itself, as of ConverseStream. */
export const namedEvent: ToSse = (type, payload) => sseEvent(oneLine(payload), type);

/** An event whose payload is `{"bytes": …}` with an event in base64, as of InvokeModelWithResponseStream. */
export const wrappedEvent: ToSse = (type, payload) => {
  if (type !== 'chunk') return '';
  const { bytes } = parseObject(payload) ?? {};
  if (typeof bytes !== 'string') throw malformed('event', 'chunk: it has no bytes');
  const text = Buffer.from(bytes, 'base64').toString('utf8');
  const [, known] = /^\{"type":"(\w+)"/.exec(text) ?? [];
  const name = known ?? parseObject(text)?.type;
  return sseEvent(oneLine(text), typeof name === 'string' ? name : undefined);
};

/** Within JSON, a line break is whitespace; within a server-sent event, it would end the data. */
function oneLine(json: string): string {
  return /[\r\n]/.test(json) ? json.replace(/[\r\n]+/g, ' ') : json;
}

/** Decodes AWS's event stream by the decoder of server-sent events of the same format. */
export class AwsEventStream implements Decoder {
  readonly #inner: Decoder;
  readonly #toSse: ToSse;
  readonly #frames = new Frames();
  #over = false;

  constructor(inner: Decoder, toSse: ToSse) {
    this.#inner = inner;
    this.#toSse = toSse;
  }

  get complete(): boolean {
    return this.#inner.complete === true;
  }

  get mayGoOn(): boolean {
    return this.#inner.mayGoOn === true;
  }

  get cut(): boolean {
    return this.#inner.cut === true;
  }

  get usage(): Usage | null {
    return this.#inner.usage ?? null;
  }

  get characters(): number {
    return this.#inner.characters ?? 0;
  }

  get held(): number {
    return this.#frames.held + (this.#inner.held ?? 0);
  }

  read(bytes: Buffer): GenerateEvent[] {
    const { text, failure } = this.#convert(bytes);
    return this.#ended(text.length > 0 ? this.#inner.read(text) : [], failure);
  }

  readInSteps(bytes: Buffer, turn: Turn): GenerateEvent[] | Promise<GenerateEvent[]> {
    const { text, failure } = this.#convert(bytes);
    const events = text.length > 0 ? (this.#inner.readInSteps?.(text, turn) ?? this.#inner.read(text)) : [];
    return events instanceof Promise
      ? events.then(decoded => this.#ended(decoded, failure))
      : this.#ended(events, failure);
  }

  end(): GenerateEvent[] {
    return this.#over ? [] : this.#inner.end();
  }

  /** Converts the frames that are complete, up to the first that is malformed or an exception. */
  #convert(bytes: Buffer): { text: Buffer; failure?: GenerateEvent[] } {
    if (this.#over) return { text: Buffer.alloc(0) };
    const texts: string[] = [];
    try {
      for (const frame of this.#frames.push(bytes)) texts.push(this.#toSse(frame.type, frame.payload));
      return { text: Buffer.from(texts.join('')) };
    } catch (thrown) {
      this.#over = true;
      return { text: Buffer.from(texts.join('')), failure: errorEvents(thrown) };
    }
  }

  /** Adds the failure after events that did not end the answer. */
  #ended(events: GenerateEvent[], failure: GenerateEvent[] = []): GenerateEvent[] {
    const last = events.at(-1)?.type;
    if (last === 'finish' || last === 'error') this.#over = true;
    return last === 'finish' || last === 'error' ? events : [...events, ...failure];
  }
}

interface Frame {
  type: string;
  payload: string;
}

const require = createRequire(import.meta.url);
let loaded: EventStreamCodec | undefined;

/** Loads the codec with the first frame: it takes 12 MB, which a worker without such an upstream saves. */
function codec(): EventStreamCodec {
  if (loaded) return loaded;
  const library = require('@smithy/eventstream-codec') as typeof import('@smithy/eventstream-codec');
  loaded = new library.EventStreamCodec(
    bytes => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('utf8')),
    text => Buffer.from(text, 'utf8'),
  );
  return loaded;
}

const preludeBytes = 12;
/** The bytes of a frame without headers and payload. */
const minFrame = 16;

/** Splits bytes into frames, whose checksums the codec verifies. */
class Frames {
  #held: Buffer[] = [];
  #length = 0;
  /** The bytes that the frame at the beginning of `#held` needs. */
  #needed = preludeBytes;

  /** Number of bytes of the unfinished frame. */
  get held(): number {
    return this.#length;
  }

  /** Yields the frames that are complete. @throws GatewayError for one that is malformed or an exception */
  *push(bytes: Buffer): Generator<Frame, void> {
    this.#held.push(bytes);
    this.#length += bytes.length;
    if (this.#length < this.#needed) return;
    let rest = this.#held.length === 1 ? bytes : Buffer.concat(this.#held);
    while (rest.length >= preludeBytes) {
      const size = sizeOf(rest);
      if (rest.length < size) break;
      const frame = frameOf(rest.subarray(0, size));
      rest = rest.subarray(size);
      if (frame) yield frame;
    }
    this.#held = rest.length > 0 ? [rest] : [];
    this.#length = rest.length;
    this.#needed = rest.length >= preludeBytes ? sizeOf(rest) : preludeBytes;
  }
}

/** Returns the bytes of the frame that begins here. @throws GatewayError if it cannot have so many */
function sizeOf(bytes: Buffer): number {
  const size = bytes.readUInt32BE(0);
  if (size < minFrame) throw malformed('event', `a frame of ${size} bytes`);
  if (size > maxSseEvent) throw new EventTooLarge();
  return size;
}

/** Parses a frame; undefined for one of a kind that is not known. @throws GatewayError */
function frameOf(bytes: Buffer): Frame | undefined {
  const { headers, body } = decoded(bytes);
  const header = (name: string) => String(headers[name]?.value ?? '');
  const payload = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  switch (header(':message-type')) {
    case 'event':
      return { type: header(':event-type'), payload };
    case 'exception':
      throw awsError(header(':exception-type'), messageIn(payload));
    case 'error':
      throw awsError(header(':error-code'), header(':error-message'));
    default:
      return undefined;
  }
}

function decoded(bytes: Buffer): ReturnType<EventStreamCodec['decode']> {
  try {
    return codec().decode(bytes);
  } catch (thrown) {
    throw malformed('event', thrown instanceof Error ? thrown.message : 'a frame');
  }
}

function messageIn(payload: string): string | undefined {
  const { message, Message: other } = parseObject(payload) ?? {};
  const found = message ?? other;
  return typeof found === 'string' ? found : undefined;
}
