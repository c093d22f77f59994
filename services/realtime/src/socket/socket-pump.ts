import { type Caller, type Message, Session } from '@model-gateway/bus';
import { anotherMayHelp, type Envelope, type FinishEvent, GatewayError } from '@model-gateway/canonical';
import type { PoolTargets } from '@model-gateway/ingress';

/** Parameters of {@link SocketPump.open}. */
interface LineRequest {
  caller: Caller;
  envelope: Omit<Envelope, 'targets' | 'textLength'>;
  routes: readonly PoolTargets[];
  queueMs: number;
  /** The initial `session` object. */
  prepared: Record<string, unknown> | undefined;
}

/** Receivers of messages and of the end of a session. */
interface LineEnds {
  onMessage(message: Message, weight: number): void;
  onEnd(error: GatewayError | undefined, closed: FinishEvent['closed']): void;
}

/** An open session over the bus. Messages before {@link listen} are held, at most a credit window. */
export class SocketPump {
  readonly session: Session;
  readonly #early: ((ends: LineEnds) => void)[] = [];
  #ends: LineEnds | undefined;

  private constructor(open: (ends: LineEnds) => Session) {
    this.session = open({
      onMessage: (message, weight) => this.#deliver(ends => ends.onMessage(message, weight)),
      onEnd: (error, closed) => this.#deliver(ends => ends.onEnd(error, closed)),
    });
  }

  /** Opens a session at the first pool that can serve it. @throws GatewayError */
  static async open(request: LineRequest, signal: AbortSignal): Promise<SocketPump> {
    let failure: GatewayError | undefined;
    for (const route of request.routes) {
      try {
        return await SocketPump.#openAt(route, request, signal);
      } catch (thrown) {
        if (!(thrown instanceof GatewayError) || signal.aborted || !anotherMayHelp(thrown)) throw thrown;
        failure ??= thrown;
      }
    }
    throw failure ?? new GatewayError('upstream', 'The model has no upstream.');
  }

  static #openAt(
    { pool, targets }: PoolTargets,
    request: LineRequest,
    signal: AbortSignal,
  ): Promise<SocketPump> {
    const { caller, queueMs, prepared } = request;
    const first = prepared && Buffer.from(JSON.stringify(prepared));
    const envelope = { ...request.envelope, targets, textLength: first?.length ?? 0 };
    return new Promise((resolve, reject) => {
      const leave = () => {
        line.session.cancel();
        reject(new GatewayError('cancelled', 'The client left.'));
      };
      const settled = () => signal.removeEventListener('abort', leave);
      const line: SocketPump = new SocketPump(
        ends =>
          new Session(caller, {
            pool,
            envelope,
            queueMs,
            onMessage: ends.onMessage,
            onStart: () => {
              settled();
              resolve(line);
            },
            onEnd(error, closed) {
              settled();
              // No effect on a session that is already open.
              reject(error ?? new GatewayError('upstream', 'The session ended before it started.'));
              ends.onEnd(error, closed);
            },
          }),
      );
      signal.addEventListener('abort', leave);
      if (signal.aborted) leave();
      if (first) line.session.send({ data: first, text: true });
    });
  }

  /** Delivers everything to `ends`, beginning with what was held. */
  listen(ends: LineEnds): void {
    this.#ends = ends;
    for (const deliver of this.#early.splice(0)) deliver(ends);
  }

  #deliver(deliver: (ends: LineEnds) => void): void {
    if (this.#ends) deliver(this.#ends);
    else this.#early.push(deliver);
  }
}
