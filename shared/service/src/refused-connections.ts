import type { Socket } from 'node:net';
import { type Clock, systemClock } from '@model-gateway/clock';
import type { ConnectionLimits } from './connection-limits.ts';
import type { Log } from './log.ts';
import { type Counter, counter, type Registry } from './metrics/index.ts';
import { RefusalLog } from './refusal-log.ts';

/** The limit that a connection exceeds. */
export type Refusal = keyof typeof refusals;

/** Time for the client of a refused connection to read the response, in milliseconds. */
export const refusalLingerMs = 1_000;
/** The most refused connections that wait for that; others are closed without a response. */
export const mostLingering = 100;

/** HTTP responses to refused connections; `retryAfter` is in seconds. */
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

/** Refuses connections cheaply: with a short response if that can be sent without reading, else without. */
export class RefusedConnections {
  readonly #answers: Record<Refusal, Buffer>;
  readonly #count: Counter<'limit'>;
  readonly #log: RefusalLog;
  readonly #clock: Clock;
  #lingering = 0;

  constructor(limits: ConnectionLimits, metrics: Registry, log: Log, clock: Clock = systemClock) {
    this.#clock = clock;
    this.#answers = { address: refusalAnswer('address', limits), total: refusalAnswer('total', limits) };
    this.#log = new RefusalLog(log, clock);
    this.#count = counter(metrics, 'gateway_connections_refused_total');
    for (const limit of Object.keys(refusals)) this.#count.inc({ limit }, 0);
  }

  refuse(socket: Socket, refusal: Refusal, address: string, isTls: boolean): void {
    this.#count.inc({ limit: refusal });
    this.#log.refused(refusal, address);
    // A TLS client reads no response before the handshake, which would cost more than all else here.
    if (isTls || this.#lingering >= mostLingering) socket.destroy();
    else this.#respond(socket, this.#answers[refusal]);
  }

  /**
   * Sends a response, then reads for a while: closing a socket with unread bytes resets it and may lose the
   * response.
   */
  #respond(socket: Socket, text: Buffer): void {
    this.#lingering++;
    const timer = this.#clock.setTimeout(() => socket.destroy(), refusalLingerMs);
    socket.once('close', () => {
      this.#lingering--;
      this.#clock.clearTimeout(timer);
    });
    socket.on('error', () => socket.destroy());
    socket.once('end', () => socket.destroy());
    socket.resume();
    socket.end(text);
  }
}

/** Returns the HTTP response to a connection over a limit, as bytes. */
export function refusalAnswer(refusal: Refusal, limits: ConnectionLimits): Buffer {
  const { status, retryAfter, type, code, message } = refusals[refusal];
  // A shape that OpenAI's and Anthropic's clients both read; the path, and so the format, is unknown.
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
    ...(refusal === 'total' ? ['x-gateway-reason: too_many_connections'] : []),
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}
