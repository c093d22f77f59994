import type { Socket } from 'node:net';
import type { ConnectionLimits } from './connection-limits.ts';
import type { Log } from './log.ts';
import { Counter, type Registry } from './metrics.ts';
import { RefusalLog } from './refusal-log.ts';

/** The limit that a connection was over. */
export type Refusal = keyof typeof refusals;

/** The longest that the client of a refused connection may take to read why, in milliseconds. */
export const refusalLingerMs = 1_000;
/** The most refused connections that wait for that; others are closed without a word. */
export const mostLingering = 100;

/** Each refusal as HTTP clients are told of it, with seconds after which they may try again. */
const refusals = {
  address: {
    status: '429 Too Many Requests',
    retryAfter: 5,
    type: 'rate_limit_error',
    code: 'too_many_connections',
    message: ({ perAddress }: ConnectionLimits) =>
      `Your address has ${perAddress} open connections, which is the most that one address may have. Reuse connections or close some, and try again.`,
  },
  total: {
    status: '503 Service Unavailable',
    retryAfter: 1,
    type: 'overloaded_error',
    code: 'too_many_connections',
    message: ({ total }: ConnectionLimits) =>
      `The gateway has ${total} open connections, which is the most that it takes. Try again soon.`,
  },
};

/** Refuses connections at little cost: with a short answer where that can be sent without reading, else by closing. */
export class RefusedConnections {
  readonly #answers: Record<Refusal, Buffer>;
  readonly #count: Counter;
  readonly #log: RefusalLog;
  #lingering = 0;

  constructor(limits: ConnectionLimits, metrics: Registry, log: Log) {
    this.#answers = { address: refusalAnswer('address', limits), total: refusalAnswer('total', limits) };
    this.#log = new RefusalLog(log);
    this.#count = new Counter({
      name: 'gateway_connections_refused_total',
      help: 'Connections refused, by the limit they were over',
      labelNames: ['limit'],
      registers: [metrics],
    });
  }

  refuse(socket: Socket, refusal: Refusal, address: string, isTls: boolean): void {
    this.#count.inc({ limit: refusal });
    this.#log.refused(refusal, address);
    // A client that speaks TLS reads no answer before its handshake, which would cost more than anything else here.
    if (isTls || this.#lingering >= mostLingering) socket.destroy();
    else this.#tell(socket, this.#answers[refusal]);
  }

  /** Closing a socket with bytes that were not read resets it, and the client may lose the answer: so they are read for a while. */
  #tell(socket: Socket, text: Buffer): void {
    this.#lingering++;
    const timer = setTimeout(() => socket.destroy(), refusalLingerMs);
    socket.once('close', () => {
      this.#lingering--;
      clearTimeout(timer);
    });
    socket.on('error', () => socket.destroy());
    socket.once('end', () => socket.destroy());
    socket.resume();
    socket.end(text);
  }
}

/** The answer to a connection that is over a limit, as it goes on the wire. */
export function refusalAnswer(refusal: Refusal, limits: ConnectionLimits): Buffer {
  const { status, retryAfter, type, code, message } = refusals[refusal];
  // The shape that OpenAI's and Anthropic's clients read alike; the path, and so the format, is not known.
  const body = JSON.stringify({
    type: 'error',
    error: { message: message(limits), type, param: null, code },
  });
  const head = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `retry-after: ${retryAfter}`,
    'connection: close',
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}
