import type { Endpoint, IngressDeps } from '@model-gateway/ingress';
import { hasReferences } from '../store/references.ts';
import type { Turn } from '../store/turn.ts';

/** The maximum number of turns in memory per connection. */
export const maxTurns = 128;
/**
 * The maximum bytes of these turns: below a quarter of a token's share of bodies, to leave room for its
 * requests.
 */
export const maxBytes = 12_000_000;

/** The memory budget of the process. */
export type Held = Pick<IngressDeps['held'], 'share'>;

/** The memory reservation of one turn. */
interface Reserved {
  bytes: number;
  release(): void;
}

/**
 * The latest turns of one connection, in memory. The oldest are evicted when the connection's or process's
 * room ends.
 */
export class LocalStore extends Map<string, Turn> {
  readonly #held: Held;
  readonly #tokenId: string;
  readonly #reservations = new Map<string, Reserved>();
  #bytes = 0;

  constructor(held: Held, tokenId: string) {
    super();
    this.#held = held;
    this.#tokenId = tokenId;
  }

  /** Bytes of all turns. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the bytes of a turn and of those before it, as far as they are in memory. */
  bytesUpTo(id: string): number {
    const ids = new Set([id]);
    let bytes = 0;
    for (const each of ids) {
      const turn = this.get(each);
      bytes += this.#reservations.get(each)?.bytes ?? 0;
      if (turn?.base === '') for (const before of turn.meta.before) ids.add(before);
    }
    return bytes;
  }

  override set(id: string, turn: Turn): this {
    this.delete(id);
    const bytes = sizeOf(turn);
    while (this.size >= maxTurns || this.#bytes + bytes > maxBytes) if (!this.#deleteOldest()) return this;
    for (;;) {
      const reserved = this.#reserve(bytes);
      if (reserved) {
        this.#reservations.set(id, reserved);
        this.#bytes += bytes;
        return super.set(id, turn);
      }
      if (!this.#deleteOldest()) return this;
    }
  }

  override delete(id: string): boolean {
    const reserved = this.#reservations.get(id);
    this.#reservations.delete(id);
    this.#bytes -= reserved?.bytes ?? 0;
    reserved?.release();
    return super.delete(id);
  }

  override clear(): void {
    for (const id of [...this.keys()]) this.delete(id);
  }

  #deleteOldest(): boolean {
    const [oldest] = this.keys();
    return oldest !== undefined && this.delete(oldest);
  }

  #reserve(bytes: number): Reserved | undefined {
    const share = this.#held.share(this.#tokenId);
    try {
      share.take(bytes);
      return { bytes, release: () => share.release() };
    } catch {
      return undefined;
    }
  }
}

function sizeOf({ base, input, response }: Turn): number {
  return [base, input, response].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/**
 * Wraps an endpoint whose requests continue turns of one connection: their memory is reserved before they are read, until the
 * ingress counts the text that is made of them.
 */
export function reservingLocal(endpoint: Endpoint, local: LocalStore): Endpoint {
  const { prepare } = endpoint;
  if (!prepare) return endpoint;
  return {
    ...endpoint,
    async prepare(body, incoming, requestId) {
      const share = incoming.share();
      try {
        share.take(bytesOf(body, local));
        return await prepare(body, incoming, requestId);
      } finally {
        share.release();
      }
    },
  };
}

/** Returns the memory of the turns that a request continues or refers to: as text, and parsed. */
function bytesOf(
  { previous_response_id: previous, input }: Record<string, unknown>,
  local: LocalStore,
): number {
  if (hasReferences(input)) return 2 * local.bytes;
  return typeof previous === 'string' ? 2 * local.bytesUpTo(previous) : 0;
}
