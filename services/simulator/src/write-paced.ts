import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Chunk, Flow } from './format.ts';
import type { Pace } from './responder/pace.ts';

const maxPatienceMs = 600_000;

/** The waits of one answer. Each ends at once when the client leaves; `left` then says so. */
export class Waits {
  readonly #response: ServerResponse;
  #end: () => void = () => {};
  #steps = 0;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.once('close', () => this.#end());
  }

  get left(): boolean {
    return this.#response.destroyed;
  }

  /** Whether it is time to let others go first: after every sixteenth step. */
  shouldYield(): boolean {
    return ++this.#steps % 16 === 0;
  }

  /** Until a time of `performance.now()`; not at all if that is past. */
  async until(due: number): Promise<void> {
    const ms = due - performance.now();
    if (ms > 0) await this.#sleep(ms);
  }

  /** Until the client has read what was written; one that reads nothing for ten minutes is cut. */
  async drained(): Promise<void> {
    const wake = () => this.#end();
    this.#response.once('drain', wake);
    await this.#sleep(maxPatienceMs);
    this.#response.off('drain', wake);
    if (this.#response.writableNeedDrain) this.#response.destroy();
  }

  #sleep(ms: number): Promise<void> {
    if (this.left) return Promise.resolve();
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms);
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** Lets everything else that is due in this process go first. */
export function yieldToOthers(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

const resets = new WeakSet<ServerResponse>();

/** Ends a connection with a reset; what was not yet sent is lost. */
export function reset(response: ServerResponse): void {
  if (response.destroyed) return;
  resets.add(response);
  if (response.socket) resetSocket(response.socket);
}

/** Cuts a connection with a reset; one under TLS has none of its own, and ends without a word. */
export function resetSocket(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

/** Whether it was this side that ended the connection. */
export function wasReset(response: ServerResponse): boolean {
  return resets.has(response);
}

const silenceMs = 3_600_000;
/** Long enough for a client to read what came before a reset, which may discard it. */
const beforeResetMs = 20;

export const eventStream = 'text/event-stream; charset=utf-8';

/**
 * Writes an answer at its pace and stops where the client leaves. Each piece is a write of its own to the network, as from
 * a server that flushes each token. The head leaves with the first piece.
 */
export async function writePaced(
  response: ServerResponse,
  flow: Flow,
  pace: Pick<Pace, 'firstMs' | 'intervalMs'>,
  type = eventStream,
): Promise<void> {
  const waits = new Waits(response);
  let due = performance.now() + pace.firstMs;
  await waits.until(due);
  if (waits.left) return;
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' });
  await write(response, flow.opening, waits);
  for (const tick of flow.ticks) {
    due += pace.intervalMs;
    if (pace.intervalMs > 0) await waits.until(due);
    if (waits.left) return;
    await write(response, tick, waits);
  }
  await write(response, flow.closing, waits);
  await end(response, flow.end ?? 'close', waits);
}

async function write(response: ServerResponse, chunks: Chunk[], waits: Waits): Promise<void> {
  for (const chunk of chunks) {
    if (waits.left) return;
    const roomy = response.write(chunk);
    // Node would join the writes of a turn.
    response.socket?.uncork();
    if (!roomy) await waits.drained();
    // A single byte is meant to be read alone.
    else if (chunk.length === 1 || waits.shouldYield()) await yieldToOthers();
  }
}

async function end(response: ServerResponse, how: NonNullable<Flow['end']>, waits: Waits): Promise<void> {
  if (waits.left) return;
  if (how === 'close') return void response.end();
  await waits.until(performance.now() + (how === 'silence' ? silenceMs : beforeResetMs));
  reset(response);
}
