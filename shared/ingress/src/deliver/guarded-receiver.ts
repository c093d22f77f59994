import type { Faults } from '@model-gateway/bus';
import { type GatewayError, type GenerateEvent, toGatewayError } from '@model-gateway/canonical';
import type { Deliverable, Receiver } from './deliverable.ts';

/** The receiver of an answer behind a border: what it throws, or a step of its delivery does, ends this answer alone. */
export class GuardedReceiver {
  readonly #receiver: Receiver;
  readonly #faults: Faults;
  readonly #end: (error: GatewayError) => void;
  /** True once a step has thrown: the receiver gets no more events. */
  #broken = false;

  /** `end` ends the delivery, unless it has ended; it is called last. */
  constructor(receiver: Receiver, faults: Faults, end: (error: GatewayError) => void) {
    this.#receiver = receiver;
    this.#faults = faults;
    this.#end = end;
  }

  get begun(): boolean {
    return this.#receiver.begun;
  }

  /** True if the gateway itself gives up the attempts of a request that ends with this error: they are not charged. */
  givesUp(error: GatewayError, again: Deliverable['again']): boolean {
    const isOwn = error.kind === 'internal' || error.kind === 'overloaded';
    return (isOwn && !this.begun) || again?.(error) === true;
  }

  write(events: readonly GenerateEvent[], weight: number): void {
    if (!this.#broken) this.#receiver.write(events, weight);
  }

  /** Passes on a piece of a large event. @throws GatewayError if it may not be held */
  hold(bytes: number): void {
    this.#receiver.hold?.(bytes);
  }

  fail(error: GatewayError): void {
    this.run(() => this.#receiver.fail(error));
  }

  /** Runs a step of the delivery. */
  run(step: () => void): void {
    try {
      step();
    } catch (thrown) {
      this.broke(thrown);
    }
  }

  /** Ends the answer with the error of what a step threw. */
  broke(thrown: unknown): void {
    this.#faults.report('answer', thrown);
    const error = toGatewayError(thrown);
    if (!this.#broken) {
      this.#broken = true;
      this.fail(error);
    } else {
      // Its error cannot be written either.
      this.#receiver.abandon?.();
    }
    this.#end(error);
  }
}
