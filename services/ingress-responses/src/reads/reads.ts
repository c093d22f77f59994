import { GatewayError } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import { megabytes, type Reservation } from '@model-gateway/ingress';
import { nextTurn } from '@model-gateway/service';
import type { LogPiece, RunLogRead } from '@model-gateway/store';
import type { ReadSlots } from './read-slots.ts';

/** Runs one read of the store. */
type RunRead = <T>(read: () => Promise<T>) => Promise<T>;

/** The bounds of reads of the store. */
export interface Reads {
  /** Reserves the memory of what is about to be read. @throws GatewayError if there is no room */
  reserve(bytes: number): void;
  /** Runs one read once there is a place. */
  run: RunRead;
  /** Returns a reservation of the same request, which is released separately. */
  part(): Pick<Reservation, 'take' | 'release'>;
  /** Resolves when the next step over so many bytes may run; the steps of all requests take turns. */
  turn(bytes: number): Promise<void>;
  signal: AbortSignal | undefined;
}

/** Reads of the gateway's own, which are few. */
export const unboundedReads: Reads = {
  reserve() {},
  run: read => read(),
  part: () => ({ take() {}, release() {} }),
  turn: bytes => nextTurn(bytes),
  signal: undefined,
};

/** Reads for a token that go on if its client leaves, and hold little of what they read. */
export function unheldReads(places: ReadSlots, tokenId: string): Reads {
  return { ...unboundedReads, run: read => places.run(tokenId, read) };
}

/** The bytes of the largest answer, which is somewhat larger than what an upstream may send. */
const answerBytes = 68_000_000;

/** Returns the most that one request reads, in bytes: twice a request, and the largest answer. */
export function mostRead(bodyBytes: number): number {
  return 2 * bodyBytes + answerBytes;
}

interface ReadingRequest {
  tokenId: string;
  share: Reservation;
  signal: AbortSignal | undefined;
  /** The maximum size of a request with its history, in bytes. */
  bodyBytes: number;
}

/** The reads of one request: few at once for its token, and each within the token's share of memory. */
export class RequestReads implements Reads {
  readonly signal: AbortSignal | undefined;
  readonly #places: ReadSlots;
  readonly #request: ReadingRequest;
  #bytes = 0;
  #isOver = false;

  constructor(places: ReadSlots, request: ReadingRequest) {
    this.#places = places;
    this.#request = request;
    this.signal = request.signal;
  }

  reserve(bytes: number): void {
    if (this.#isOver) throw new GatewayError('cancelled', 'The request has ended.');
    const { share, bodyBytes } = this.#request;
    const most = mostRead(bodyBytes);
    this.#bytes += bytes;
    if (this.#bytes > most) throw tooMuch(most);
    share.take(bytes);
  }

  readonly run: RunRead = read => this.#places.run(this.#request.tokenId, read, this.signal);

  turn(bytes: number): Promise<void> {
    return nextTurn(bytes, this.#request.tokenId);
  }

  part(): Reservation {
    return this.#request.share.part();
  }

  /** Gives back what was reserved. Later reads are refused. */
  release(): void {
    this.#isOver = true;
    this.#request.share.release();
  }
}

function tooMuch(most: number): GatewayError {
  const message = `This request needs more than ${megabytes(most)} of stored responses, which is the most that one request may read.`;
  return new GatewayError('too-large', message);
}

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
