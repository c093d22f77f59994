import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { Clock } from '@model-gateway/clock';
import type { Pace } from '../responder/pace.ts';
import type { Chunk, Flow } from './format.ts';

export const maxDrainMs = 600_000;

/** The waits of one answer. They end when the client leaves. */
export class Waits {
  readonly #response: ServerResponse;
  readonly #clock: Clock;
  readonly #closed = new AbortController();
  #steps = 0;

  constructor(response: ServerResponse, clock: Clock) {
    this.#response = response;
    this.#clock = clock;
    response.once('close', () => this.#closed.abort());
  }

  get left(): boolean {
    return this.#response.destroyed;
  }

  /** Waits until a time of the monotonic clock. */
  async until(due: number): Promise<void> {
    const ms = due - this.#clock.monotonic();
    if (ms > 0 && !this.left) await this.#clock.sleep(ms, this.#closed).catch(() => {});
  }

  /** Waits until the client has read the data. After ten minutes, the connection is closed. */
  async drained(): Promise<void> {
    const signal = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(maxDrainMs)]);
    if (!this.left) await once(this.#response, 'drain', { signal }).catch(() => {});
    if (this.#response.writableNeedDrain) this.#response.destroy();
  }

  /** True on every sixteenth call, when other work of the process gets its turn. */
  get yields(): boolean {
    return ++this.#steps % 16 === 0;
  }
}

const resets = new WeakSet<ServerResponse>();

/** Resets a connection. Unsent data is lost. */
function reset(response: ServerResponse): void {
  if (response.destroyed) return;
  resets.add(response);
  if (response.socket) resetSocket(response.socket);
}

/** Resets a connection. Under TLS it is only closed. */
export function resetSocket(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

/** True if the simulator ended the connection, not the client. */
export function wasReset(response: ServerResponse): boolean {
  return resets.has(response);
}

const silenceMs = 3_600_000;
/** Time for the client to read the data before the reset. */
export const beforeResetMs = 20;

const eventStream = 'text/event-stream; charset=utf-8';

interface WriteOptions {
  clock: Clock;
  /** The content type, unless it is server-sent events. */
  type?: string | undefined;
  /** Called after each tick. */
  wroteTick?(): void;
}

/** Writes an answer at its pace, until the client leaves. Each chunk is a separate write to the network. */
export async function writePaced(
  response: ServerResponse,
  flow: Flow,
  pace: Pick<Pace, 'firstMs' | 'intervalMs'>,
  { type = eventStream, clock, wroteTick }: WriteOptions,
): Promise<void> {
  const waits = new Waits(response, clock);
  let due = clock.monotonic() + pace.firstMs;
  await waits.until(due);
  if (waits.left) return;
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache' });
  await writeAll(response, flow.opening, waits);
  for (const tick of flow.ticks) {
    due += pace.intervalMs;
    if (pace.intervalMs > 0) await waits.until(due);
    // Benchmarks run this for every token, and waiting for one promise is faster than for two.
    for (const chunk of tick) {
      if (waits.left) return;
      await written(response, chunk, waits);
    }
    wroteTick?.();
  }
  await writeAll(response, flow.closing, waits);
  if (waits.left) return;
  const how = flow.end ?? 'close';
  if (how === 'close') return void response.end();
  await waits.until(clock.monotonic() + (how === 'silence' ? silenceMs : beforeResetMs));
  reset(response);
}

async function writeAll(response: ServerResponse, chunks: Iterable<Chunk>, waits: Waits): Promise<void> {
  for (const chunk of chunks) {
    if (waits.left) return;
    await written(response, chunk, waits);
  }
}

/** Writes a chunk, and resolves when the next may be written. */
function written(response: ServerResponse, chunk: Chunk, waits: Waits): Promise<void> {
  response.write(chunk);
  if (response.writableNeedDrain) return waits.drained();
  // A single byte must not be joined with the next.
  if (waits.yields || chunk.length === 1) return setImmediate();
  // Node joins the writes of one turn, and sends them at its end.
  return new Promise(resolve => process.nextTick(resolve));
}
