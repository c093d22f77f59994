import { GatewayError } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { LogPiece, RunLogRead } from '@model-gateway/store';
import type { Reads } from './reads.ts';

/** The wait of a follower for whose pieces there is no room, in milliseconds. */
const roomMs = 1_000;

/** The reads of one follower of a log. Each is held until the next one, and made again later if there is no room for it. */
export class FollowerReads {
  readonly #reads: Reads;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #room: ReturnType<Reads['part']>;

  constructor(reads: Reads, clock: Clock, signal: AbortSignal) {
    this.#reads = reads;
    this.#clock = clock;
    this.#signal = signal;
    this.#room = reads.part();
  }

  readonly run: RunLogRead = async read => {
    this.#room.release();
    while (!this.#signal.aborted) {
      try {
        const pieces = await this.#reads.run(read);
        this.#room.take(sizeOf(pieces));
        return pieces;
      } catch (error) {
        if (!(error instanceof GatewayError) || error.kind === 'cancelled') throw error;
        await this.#clock.sleep(roomMs, { signal: this.#signal }).catch(() => {});
      }
    }
    return [];
  };

  release(): void {
    this.#room.release();
  }
}

function sizeOf(pieces: readonly LogPiece[]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
}
