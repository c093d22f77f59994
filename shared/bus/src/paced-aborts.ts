import type { GatewayError } from '@model-gateway/canonical';

/** Calls aborted per event-loop turn: each closes an upstream request, and thousands may be cancelled at once. */
const abortsPerTurn = 64;

/** Aborts the calls of a process, a few in each event-loop turn. */
export class PacedAborts {
  readonly #waiting: [controller: AbortController, reason: GatewayError | undefined][] = [];
  #left = abortsPerTurn;
  #scheduled = false;

  /** Aborts in this turn, or in a later one if this turn's limit is reached. */
  abort(controller: AbortController, reason?: GatewayError): void {
    this.#schedule();
    if (this.#left === 0) return void this.#waiting.push([controller, reason]);
    this.#left--;
    controller.abort(reason);
  }

  #schedule(): void {
    if (!this.#scheduled) setImmediate(() => this.#nextTurn());
    this.#scheduled = true;
  }

  #nextTurn(): void {
    this.#scheduled = false;
    this.#left = abortsPerTurn;
    for (const [controller, reason] of this.#waiting.splice(0, abortsPerTurn)) this.abort(controller, reason);
    if (this.#waiting.length > 0) this.#schedule();
  }
}
