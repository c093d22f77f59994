import { Worker } from 'node:worker_threads';
import {
  answerBounds,
  exceededBound,
  GatewayError,
  type GenerateEvent,
  toErrorEvent,
} from '@model-gateway/canonical';
import type { DecodeTask } from './decode-task.ts';

/** The longest that the thread may be idle before it ends and gives back its memory. */
const idleMs = 300_000;
/** The heap of a thread that reads an answer of 64 MB, in MB. */
export const threadHeap = { maxOldGenerationSizeMb: 1_024 };

/** The thread's answer to a task. */
export interface DecodeReply {
  events?: GenerateEvent[] | undefined;
  /** The reason why the events cannot be passed between threads. */
  failed?: string;
}

/** An answer that was decoded: its events, or undefined where it is no answer. */
export interface Decoded {
  events: GenerateEvent[] | undefined;
}

/** A task that waits for its turn. It is made then, since a task holds a copy of its answer. */
interface Queued extends PromiseWithResolvers<Decoded | null> {
  make(): DecodeTask | undefined;
}

/**
 * Decodes large whole answers in a thread, so that they do not keep the event loop from its streams. One is decoded at a
 * time, and tokens take turns.
 */
export class Decoding {
  /** By token, in the order in which they are served. */
  readonly #queues = new Map<string, Queued[]>();
  #running: Queued | undefined;
  /** The token that was served last. */
  #served: string | undefined;
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  /**
   * Decodes an answer to a token's request; `make` gives no task where nobody waits for it any more. Resolves to null
   * where nothing was decoded, or the events cannot be passed between threads.
   * @throws GatewayError of kind `upstream` for an answer that the thread was lost of
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
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = undefined;
    this.#running?.reject(unreadable());
    void thread?.terminate();
  }

  #runNext(): void {
    clearTimeout(this.#idle);
    this.#running = this.#next();
    if (!this.#running) {
      this.#idle = setTimeout(() => this.stop(), idleMs).unref();
      return;
    }
    const task = this.#running.make();
    if (!task) return this.#ended(null);
    this.#thread ??= this.#start();
    this.#thread.postMessage(task, [task.bytes.buffer]);
  }

  /** Takes the next task of a token other than the last one, where another waits. */
  #next(): Queued | undefined {
    const tokens = [...this.#queues.keys()];
    const tokenId = tokens.find(token => token !== this.#served) ?? tokens[0];
    if (tokenId === undefined) return undefined;
    this.#served = tokenId;
    const queue = this.#queues.get(tokenId) as Queued[];
    const next = queue.shift();
    // It goes to the end.
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
    // Its end says all that its error would.
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

/** A buffer comes out of a thread's message as plain bytes. */
function withBuffer(event: GenerateEvent): GenerateEvent {
  if (event.type !== 'verbatim') return event;
  const { buffer, byteOffset, byteLength } = event.bytes;
  return { ...event, bytes: Buffer.from(buffer, byteOffset, byteLength) };
}

/** The thread that decoded an answer was lost, as where the answer took all of its heap. */
export function unreadable(): GatewayError {
  const cause = new Error('the thread that decoded the answer was lost');
  return new GatewayError('upstream', 'The upstream sent an answer that cannot be read.', {}, { cause });
}

/** The most characters of an answer's events as JSON; bytes that are passed on as they came are not among them. */
export const maxEvents = 40_000_000;

/** The events of a whole answer, or an error in their place where they are too much for the processes that they still pass through. */
export function bounded(events: GenerateEvent[] | undefined): GenerateEvent[] | undefined {
  const text = JSON.stringify(events?.filter(({ type }) => type !== 'verbatim') ?? []);
  if (text.length <= maxEvents && !exceededBound(text, answerBounds)) return events;
  return [toErrorEvent(tooLargeToTranslate())];
}

export function tooLargeToTranslate(): GatewayError {
  return new GatewayError('upstream', 'The upstream sent too large an answer to be translated.');
}
