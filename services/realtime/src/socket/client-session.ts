import { GatewayError } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { Connection } from '@model-gateway/ingress';
import { renderClose, renderErrorEvent } from './render-error.ts';
import type { SessionPeer } from './session-peer.ts';

/** Limits of sessions; times are in milliseconds. */
export interface SessionLimits {
  /** The longest duration of a session. */
  lastsMs: number;
  /** Time without a message in either direction. */
  idleMs: number;
  /** Time for sessions to end once the process is draining. */
  graceMs: number;
  /** Time to wait for a worker with room. */
  queueMs: number;
  /** The most open sessions. */
  sessions: number;
}

/** Time for a session to end whose client has closed. */
const goodbyeMs = 5_000;

/** Relays messages between a client's WebSocket and the gateway's end of its session, at the reader's pace. */
export class ClientSession {
  readonly #connection: Connection;
  readonly #peer: SessionPeer;
  readonly #ended: (error: GatewayError | undefined) => void;
  readonly #endsAt: number;
  readonly #clock: Clock;
  #activeAt: number;
  #over = false;
  /** True once the client's messages go nowhere. */
  #deaf = false;

  /** `ended` is called once, when the connection is gone or is being closed. */
  constructor(
    connection: Connection,
    peer: SessionPeer,
    endsAt: number,
    clock: Clock,
    ended: (error: GatewayError | undefined) => void,
  ) {
    this.#connection = connection;
    this.#peer = peer;
    this.#endsAt = endsAt;
    this.#clock = clock;
    this.#activeAt = clock.now();
    this.#ended = ended;
  }

  /** Starts relaying. */
  begin(): void {
    this.#connection.onClose(code => this.#left(code));
    this.#connection.onMessage({
      handle: (data, text) => this.#send(data, text),
      refuse: error => this.#connection.send(renderErrorEvent(error)),
    });
    this.#peer.listen({
      onMessage: ({ data, text }, weight) => {
        this.#activeAt = this.#clock.now();
        this.#connection.send(data, { text, taken: () => this.#peer.consumed(weight) });
      },
      onEnd: (error, closed = { code: 1000, reason: '' }) => (error ? this.end(error) : this.#close(closed)),
    });
  }

  /** Sends the error to the client and closes the connection. */
  end(error: GatewayError): void {
    if (this.#over) return;
    this.#connection.send(renderErrorEvent(error));
    this.#peer.cancel(error);
    this.#close(renderClose(error), error);
  }

  /** Ends a session that is too old or idle for too long. `now` is in milliseconds since 1970. */
  check(now: number, { lastsMs, idleMs }: SessionLimits): void {
    if (now >= this.#endsAt) {
      const message = `Your session hit the maximum duration of ${durationText(lastsMs)}.`;
      this.end(new GatewayError('timeout', message, { code: 'session_expired' }));
    } else if (now - this.#activeAt >= idleMs) {
      const message = `Your session was idle for ${durationText(idleMs)}.`;
      this.end(new GatewayError('timeout', message, { code: 'idle_timeout' }));
    }
  }

  /** Passes a message on. Resolves when the session's other end takes more. */
  #send(data: Buffer, text: boolean): Promise<void> | undefined {
    if (this.#deaf) return undefined;
    this.#activeAt = this.#clock.now();
    return this.#peer.send({ data, text }) ? undefined : this.#peer.drained;
  }

  #close({ code, reason }: { code: number; reason: string }, error?: GatewayError): void {
    if (this.#over) return;
    this.#over = true;
    this.#deaf = true;
    this.#connection.close(code, reason);
    this.#ended(error);
  }

  /** Ends the session; after a normal close, the client's last messages still go upstream. */
  #left(code: number): void {
    if (this.#over) return;
    this.#over = true;
    if (code === 1006) {
      this.#deaf = true;
      this.#peer.cancel();
    } else {
      void this.#connection.handled.then(() => this.#peer.close());
      this.#clock.setTimeout(() => this.#peer.cancel(), goodbyeMs).unref();
    }
    this.#ended(undefined);
  }
}

function durationText(ms: number): string {
  return ms < 60_000 ? `${ms / 1_000} seconds` : `${Math.round(ms / 60_000)} minutes`;
}
