import { Worker } from 'node:worker_threads';
import { GatewayError, type GenerateEvent } from '@model-gateway/canonical';
import type { DecodeTask } from './decode-task.ts';

/** How long the thread may be idle before it ends and gives back its memory. */
const idleMs = 300_000;
/** The heap of a thread that reads an answer of 64 MB, in MB. */
export const threadHeap = { maxOldGenerationSizeMb: 1_024 };

/** What the thread says of a task. */
export interface DecodeReply {
  id: number;
  events?: GenerateEvent[] | undefined;
  /** Why its events cannot be passed between threads. */
  failed?: string;
}

/** An answer that was decoded: its events, or undefined where it is no answer. */
export interface Decoded {
  events: GenerateEvent[] | undefined;
}

type Waiting = PromiseWithResolvers<Decoded | null>;

/** Decodes large whole answers in a thread, so that they do not keep the event loop from its streams. */
export class Decoding {
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  /**
   * Resolves to null where the events cannot be passed between threads.
   * @throws GatewayError of kind `upstream` for an answer that the thread was lost of
   */
  decode(task: DecodeTask): Promise<Decoded | null> {
    clearTimeout(this.#idle);
    const id = ++this.#lastId;
    const waiting: Waiting = Promise.withResolvers();
    this.#waiting.set(id, waiting);
    this.#thread ??= this.#start();
    this.#thread.postMessage({ id, task }, [task.bytes.buffer]);
    return waiting.promise;
  }

  stop(): void {
    clearTimeout(this.#idle);
    void this.#thread?.terminate();
  }

  #start(): Worker {
    const thread = new Worker(new URL('./decode-thread.ts', import.meta.url), {
      execArgv: [],
      resourceLimits: threadHeap,
    });
    thread.unref();
    thread.on('message', (reply: DecodeReply) => this.#reply(reply));
    // Its end says all that its error would.
    thread.on('error', () => {});
    thread.on('exit', () => this.#lost(thread));
    return thread;
  }

  #reply({ id, events, failed }: DecodeReply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.resolve(failed === undefined ? { events: events?.map(withBuffer) } : null);
    if (this.#waiting.size === 0) this.#idle = setTimeout(() => this.stop(), idleMs).unref();
  }

  #lost(thread: Worker): void {
    if (this.#thread === thread) this.#thread = undefined;
    for (const waiting of this.#waiting.values()) waiting.reject(unreadable());
    this.#waiting.clear();
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
