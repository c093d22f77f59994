import type { IngressDeps } from '@model-gateway/ingress';
import type { Turn } from '../store/turn.ts';

/** The most turns that one connection keeps. */
export const maxTurns = 128;
/** The most bytes of them: less than a quarter of a token's share of bodies, so that its requests find room beside them. */
export const maxBytes = 12_000_000;

/** Counts what a process holds in memory. */
export type Held = Pick<IngressDeps['held'], 'share'>;

/** What a turn takes, and how that is given back. */
interface Place {
  bytes: number;
  release(): void;
}

/** The turns that one connection keeps in memory: the latest of them, as far as the process has room. */
export class LocalStore extends Map<string, Turn> {
  readonly #held: Held;
  readonly #tokenId: string;
  readonly #places = new Map<string, Place>();
  #bytes = 0;

  constructor(held: Held, tokenId: string) {
    super();
    this.#held = held;
    this.#tokenId = tokenId;
  }

  override set(id: string, turn: Turn): this {
    this.delete(id);
    const bytes = sizeOf(turn);
    while (this.size >= maxTurns || this.#bytes + bytes > maxBytes) if (!this.#deleteOldest()) return this;
    for (;;) {
      const place = this.#take(bytes);
      if (place) {
        this.#places.set(id, place);
        this.#bytes += bytes;
        return super.set(id, turn);
      }
      if (!this.#deleteOldest()) return this;
    }
  }

  override delete(id: string): boolean {
    const place = this.#places.get(id);
    this.#places.delete(id);
    this.#bytes -= place?.bytes ?? 0;
    place?.release();
    return super.delete(id);
  }

  override clear(): void {
    for (const id of [...this.keys()]) this.delete(id);
  }

  #deleteOldest(): boolean {
    const [oldest] = this.keys();
    return oldest !== undefined && this.delete(oldest);
  }

  #take(bytes: number): Place | undefined {
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
