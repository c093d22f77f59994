import type { GenerateEvent } from '@model-gateway/canonical';
import type { Reservation } from './budgets.ts';

/** The memory of the parts of a whole answer that are held until it is complete. */
export class HeldAnswer {
  readonly #share: Pick<Reservation, 'take' | 'release'>;
  /** Bytes that were reserved for an event that is not complete. */
  #ahead = 0;

  constructor(share: Pick<Reservation, 'take' | 'release'>) {
    this.#share = share;
  }

  /** Reserves a piece of an event. @throws GatewayError if the token's share or the process's budget is used up */
  hold(bytes: number): void {
    this.#share.take(bytes);
    this.#ahead += bytes;
  }

  /** Reserves complete events of `weight` bytes. Bytes that are written as they arrive are not held. @throws GatewayError as {@link hold} */
  add([first]: readonly GenerateEvent[], weight: number): void {
    const isHeld = first !== undefined && first.type !== 'verbatim' && first.type !== 'audio';
    if (isHeld) this.#share.take(Math.max(0, weight - this.#ahead));
    this.#ahead = 0;
  }

  release(): void {
    this.#share.release();
  }
}
