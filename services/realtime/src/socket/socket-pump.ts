import { type Caller, type Message, Session } from '@model-gateway/bus';
import { anotherMayHelp, type Envelope, type FinishEvent, GatewayError } from '@model-gateway/canonical';
import type { PoolTargets } from '@model-gateway/ingress';

/** What a line needs in order to be opened. */
export interface LineRequest {
  caller: Caller;
  envelope: Omit<Envelope, 'targets' | 'textLength'>;
  routes: readonly PoolTargets[];
  queueMs: number;
  /** What the session is to begin with. */
  prepared: Record<string, unknown> | undefined;
}

/** Who gets what comes over a line. */
export interface LineEnds {
  onMessage(message: Message, weight: number): void;
  onEnd(error: GatewayError | undefined, closed: FinishEvent['closed']): void;
}

/** A session over the bus that stands; what came before somebody listens is kept, which is no more than its window. */
export class SocketPump {
  readonly session: Session;
  readonly #early: ((ends: LineEnds) => void)[] = [];
  #ends: LineEnds | undefined;

  private constructor(open: (ends: LineEnds) => Session) {
    this.session = open({
      onMessage: (message, weight) => this.#tell(ends => ends.onMessage(message, weight)),
      onEnd: (error, closed) => this.#tell(ends => ends.onEnd(error, closed)),
    });
  }

  /** Opens one at the first pool of workers that can. @throws GatewayError */
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
              // Where it stands already, this is too late to matter.
              reject(error ?? new GatewayError('upstream', 'The session ended before it began.'));
              ends.onEnd(error, closed);
            },
          }),
      );
      signal.addEventListener('abort', leave);
      if (signal.aborted) leave();
      if (first) line.session.send({ data: first, text: true });
    });
  }

  /** From now on `ends` gets everything, beginning with what came before. */
  listen(ends: LineEnds): void {
    this.#ends = ends;
    for (const tell of this.#early.splice(0)) tell(ends);
  }

  #tell(tell: (ends: LineEnds) => void): void {
    if (this.#ends) tell(this.#ends);
    else this.#early.push(tell);
  }
}
