import { Worker } from 'node:worker_threads';
import { GatewayError, type GenerateEvent, toErrorEvent } from '@model-gateway/canonical';
import type { Clock, Timer } from '@model-gateway/clock';
import { answerBounds, exceededBound } from '@model-gateway/json';
import type { DecodeTask } from './decode-task.ts';

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
