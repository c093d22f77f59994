import { Worker } from 'node:worker_threads';
import {
  type Envelope,
  GatewayError,
  type GenerateEvent,
  packVector,
  toErrorEvent,
} from '@model-gateway/canonical';
import type { Clock, Timer } from '@model-gateway/clock';
import { findDialect } from '@model-gateway/formats/dialects';
import { type EncodeInput, type InputFacts, onlyCalls, type SentForm } from '@model-gateway/formats/upstream';
import { answerBounds, exceededBound, withoutByteOrderMark } from '@model-gateway/json';

/** Time after which an idle thread ends and releases its memory. */
const idleMs = 300_000;
/** Heap of the thread, in MB: enough to decode an answer of 64 MB. */
export const threadHeap = { maxOldGenerationSizeMb: 1_024 };

/** The thread's reply to a task. */
export interface DecodeReply {
  events?: GenerateEvent[] | undefined;
  /** The reason why the events cannot be posted between threads. */
  failed?: string;
}

/** A decoded body: its events, or undefined if it is not an answer. */
export interface Decoded {
  events: GenerateEvent[] | undefined;
}

/** A queued task, made when its turn comes, since it holds a copy of its answer. */
interface Queued extends PromiseWithResolvers<Decoded | null> {
  make(): DecodeTask | undefined;
}

/**
 * Decodes large whole answers in a thread, so that they do not block the event loop. One is decoded at a
 * time, and tokens take turns.
 */
export class Decoding {
  /** Queues by token, in the order in which tokens are served. */
  readonly #queues = new Map<string, Queued[]>();
  #running: Queued | undefined;
  /** The token served last. */
  #served: string | undefined;
  #thread: Worker | undefined;
  #idle: Timer | undefined;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Decodes an answer to a token's request; `make` returns undefined if the request has ended. Resolves to
   * null if nothing was decoded or the events cannot be posted between threads.
   * @throws GatewayError of kind `upstream` if the thread exits while it decodes
   */
  decode(tokenId: string, make: Queued['make']): Promise<Decoded | null> {
    const queued: Queued = { make, ...Promise.withResolvers<Decoded | null>() };
    const queue = this.#queues.get(tokenId);
    if (queue) queue.push(queued);
    else this.#queues.set(tokenId, [queued]);
    if (!this.#running) this.#runNext();
    return queued.promise;
  }

  stop(): void {
    this.#clock.clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = undefined;
    this.#running?.reject(unreadable());
    void thread?.terminate();
  }

  #runNext(): void {
    this.#clock.clearTimeout(this.#idle);
    this.#running = this.#next();
    if (!this.#running) {
      this.#idle = this.#clock.setTimeout(() => this.stop(), idleMs).unref();
      return;
    }
    try {
      const task = this.#running.make();
      if (!task) return this.#ended(null);
      this.#thread ??= this.#start();
      this.#thread.postMessage(task, [task.bytes.buffer]);
    } catch (thrown) {
      this.#running.reject(thrown);
      this.#runNext();
    }
  }

  /** Takes the next task, of another token than the last one if any waits. */
  #next(): Queued | undefined {
    const tokens = [...this.#queues.keys()];
    const tokenId = tokens.find(token => token !== this.#served) ?? tokens[0];
    if (tokenId === undefined) return undefined;
    this.#served = tokenId;
    const queue = this.#queues.get(tokenId) as Queued[];
    const next = queue.shift();
    // The token goes to the end.
    this.#queues.delete(tokenId);
    if (queue.length > 0) this.#queues.set(tokenId, queue);
    return next;
  }

  #ended(decoded: Decoded | null): void {
    this.#running?.resolve(decoded);
    this.#runNext();
  }

  #start(): Worker {
    const thread = new Worker(new URL('./decode-thread.ts', import.meta.url), {
      execArgv: [],
      resourceLimits: threadHeap,
    });
    thread.unref();
    thread.on('message', ({ events, failed }: DecodeReply) =>
      this.#ended(failed === undefined ? { events: events?.map(withBuffer) } : null),
    );
    // `exit` follows every error.
    thread.on('error', () => {});
    thread.on('exit', () => this.#lost(thread));
    return thread;
  }

  #lost(thread: Worker): void {
    if (this.#thread !== thread) return;
    this.#thread = undefined;
    this.#running?.reject(unreadable());
    this.#runNext();
  }
}

/** Restores the buffer that structured cloning turned into plain bytes. */
function withBuffer(event: GenerateEvent): GenerateEvent {
  if (event.type !== 'verbatim') return event;
  const { buffer, byteOffset, byteLength } = event.bytes;
  return { ...event, bytes: Buffer.from(buffer, byteOffset, byteLength) };
}

/** Returns the error of an answer whose thread exited, as when its heap was exhausted. */
export function unreadable(): GatewayError {
  const cause = new Error('the decoding thread exited');
  return new GatewayError('upstream', 'The upstream sent a response that cannot be decoded.', {}, { cause });
}

/** The most characters of an answer's events as JSON, verbatim bytes not included. */
export const maxEvents = 40_000_000;

/** Returns the events of a whole answer, or an error if they are too large for the next processes. */
export function bounded(events: GenerateEvent[] | undefined): GenerateEvent[] | undefined {
  const text = JSON.stringify(events?.filter(({ type }) => type !== 'verbatim') ?? []);
  if (text.length <= maxEvents && !exceededBound(text, answerBounds)) return events;
  return [toErrorEvent(tooLargeToTranslate())];
}

export function tooLargeToTranslate(): GatewayError {
  return new GatewayError('upstream', 'The upstream sent a response that is too large to be translated.');
}

/** A request's body in a form that can be posted to a thread, as far as a decoder reads it. */
type PostedBody =
  | { body: 'verbatim'; text: Uint8Array }
  /** JSON with only the calls of the conversation: decoders read nothing else of it. */
  | { body: 'canonical'; request: string }
  | { body: 'form'; fields: SentForm['fields'] };

/** A whole answer to decode, in a form that can be posted to a thread. */
export interface DecodeTask {
  format: Envelope['format'];
  input: InputFacts & PostedBody;
  /** Set for an answer in the requested form; absent if a stream was requested. */
  response?: { mediaType: string; length: number | undefined };
  bytes: Uint8Array<ArrayBuffer>;
}

/** Creates a task. `bytes` are transferred with it; a buffer is copied, since its memory may be shared. */
export function decodeTask(
  format: DecodeTask['format'],
  input: EncodeInput,
  bytes: Buffer | Uint8Array<ArrayBuffer>,
  response?: DecodeTask['response'],
): DecodeTask {
  return {
    format,
    input: posted(input),
    bytes: Buffer.isBuffer(bytes) ? new Uint8Array(bytes) : bytes,
    ...(response && { response }),
  };
}

function posted(input: EncodeInput): DecodeTask['input'] {
  switch (input.body) {
    case 'verbatim':
      return input;
    case 'canonical': {
      const { request } = input;
      const read = 'messages' in request ? { ...request, messages: onlyCalls(request), others: [] } : request;
      return { ...input, request: JSON.stringify(read) };
    }
    case 'form': {
      const { form, ...rest } = input;
      return { ...rest, fields: form.fields };
    }
  }
}

/** Returns the input of a task that was posted. */
function received(input: DecodeTask['input']): EncodeInput {
  switch (input.body) {
    case 'verbatim': {
      // Structured cloning turns a buffer into plain bytes.
      const { buffer, byteOffset, length } = input.text;
      return { ...input, text: Buffer.from(buffer, byteOffset, length) };
    }
    case 'canonical':
      return { ...input, request: JSON.parse(input.request) };
    case 'form': {
      const { fields, ...rest } = input;
      return { ...rest, form: { fields, files: [], bytes: noBytes() } };
    }
  }
}

/** Returns the events; undefined if a stream was requested and the body is not an answer. */
export function runTask({ format, input, response, bytes }: DecodeTask): GenerateEvent[] | undefined {
  const dialect = findDialect(input.envelope.operation, format, input.body);
  const whole = received(input);
  const body = withoutByteOrderMark(Buffer.from(bytes.buffer));
  if (!response) return dialect?.decodeBody(body, whole)?.map(packed);
  const decoder = dialect?.decodeWhole(whole, response.mediaType, response.length);
  return [...(decoder?.read(body) ?? []), ...(decoder?.end() ?? [])].map(packed);
}

function packed(event: GenerateEvent): GenerateEvent {
  if (event.type !== 'result' || event.result.type !== 'embeddings') return event;
  return { ...event, result: { ...event.result, vectors: event.result.vectors.map(packVector) } };
}

async function* noBytes(): AsyncGenerator<Uint8Array, void> {}
