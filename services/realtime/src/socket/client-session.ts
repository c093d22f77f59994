import { GatewayError, toGatewayError } from '@model-gateway/canonical';
import type { Connection, Reservation } from '@model-gateway/ingress';
import { renderClose, renderErrorEvent } from '../render-error.ts';
import type { SessionLimits } from './limits.ts';
import type { SocketPump } from './socket-pump.ts';

/** The longest that a worker may take to end a session whose client has closed. */
const goodbyeMs = 5_000;

/** One client's WebSocket and its session over the bus: messages pass both ways, each as fast as the other end takes them. */
export class ClientSession {
  readonly #connection: Connection;
  readonly #line: SocketPump;
  /** The memory of its client's messages while they wait for its worker. */
  readonly #waiting: Reservation;
  readonly #ended: (error: GatewayError | undefined) => void;
  readonly #endsAt: number;
  #activeAt = Date.now();
  #waits = false;
  #over = false;

  /** `ended` is called once, when the connection is gone or has been told to go. */
  constructor(
    connection: Connection,
    line: SocketPump,
    waiting: Reservation,
    endsAt: number,
    ended: (error: GatewayError | undefined) => void,
  ) {
    this.#connection = connection;
    this.#line = line;
    this.#waiting = waiting;
    this.#endsAt = endsAt;
    this.#ended = ended;
  }

  /** Passes on what comes, from here on. */
  begin(): void {
    const { session } = this.#line;
    this.#connection.onClose(code => this.#left(code));
    this.#connection.onMessage((data, text) => this.#send(data, text));
    this.#line.listen({
      onMessage: ({ data, text }, weight) => {
        this.#activeAt = Date.now();
        this.#connection.send(data, { text, taken: () => session.consumed(weight) });
      },
      onEnd: (error, closed = { code: 1000, reason: '' }) => (error ? this.end(error) : this.#close(closed)),
    });
  }

  /** Tells the client why, and closes. */
  end(error: GatewayError): void {
    if (this.#over) return;
    this.#connection.send(renderErrorEvent(error));
    this.#line.session.cancel();
    this.#close(renderClose(error), error);
  }

  /** Ends what lasts too long, or does nothing for too long. `now` is in milliseconds since 1970. */
  check(now: number, { lastsMs, idleMs }: SessionLimits): void {
    if (now >= this.#endsAt) {
      const message = `Your session hit the maximum duration of ${told(lastsMs)}.`;
      this.end(new GatewayError('timeout', message, { code: 'session_expired' }));
    } else if (now - this.#activeAt >= idleMs) {
      const message = `Your session was idle for ${told(idleMs)}.`;
      this.end(new GatewayError('timeout', message, { code: 'idle_timeout' }));
    }
  }

  #send(data: Buffer, text: boolean): void {
    if (this.#over) return;
    this.#activeAt = Date.now();
    if (this.#line.session.send({ data, text }) || this.#waits) return;
    this.#waits = true;
    this.#connection.pause();
    void this.#line.session.drained.then(() => {
      this.#waiting.release();
      this.#waits = false;
      this.#connection.resume();
    });
    try {
      this.#waiting.take(data.length);
    } catch (full) {
      this.end(toGatewayError(full));
    }
  }

  #close({ code, reason }: { code: number; reason: string }, error?: GatewayError): void {
    if (this.#over) return;
    this.#over = true;
    this.#connection.close(code, reason);
    this.#ended(error);
  }

  /** A client that closed in good order has all that it sent still go upstream. */
  #left(code: number): void {
    if (this.#over) return;
    this.#over = true;
    const { session } = this.#line;
    if (code === 1006) session.cancel();
    else {
      session.close();
      setTimeout(() => session.cancel(), goodbyeMs).unref();
    }
    this.#ended(undefined);
  }
}

function told(ms: number): string {
  return ms < 60_000 ? `${ms / 1_000} seconds` : `${Math.round(ms / 60_000)} minutes`;
}
