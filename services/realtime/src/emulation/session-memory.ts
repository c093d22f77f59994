import type { Reservation } from '@model-gateway/ingress';

/** Memory of a session that does not count for its token, in bytes. */
const uncounted = 64 * 1024;

type Part = 'items' | 'audio' | 'input' | 'transcripts';

/** The memory that a session holds, which counts for its token's share of bodies. */
export class SessionMemory {
  readonly #share: Reservation | undefined;
  readonly #parts: Record<Part, number> = { items: 0, audio: 0, input: 0, transcripts: 0 };
  #counted = 0;
  #over = false;

  /** Without a share nothing is counted. */
  constructor(share?: Reservation) {
    this.#share = share;
  }

  /** Sets the bytes of a part. @throws GatewayError if it grows, and the token's share has no room */
  set(part: Part, bytes: number): void {
    const before = this.#parts[part];
    this.#parts[part] = bytes;
    try {
      this.#count();
    } catch (thrown) {
      if (bytes > before) {
        this.#parts[part] = before;
        throw thrown;
      }
    }
  }

  /** Sets the bytes of a part that exists already: it counts as far as there is room. */
  note(part: Part, bytes: number): void {
    this.#parts[part] = bytes;
    try {
      this.#count();
    } catch {
      // It is counted with the next change.
    }
  }

  /** Releases everything; nothing is counted afterwards. */
  release(): void {
    this.#over = true;
    this.#share?.release();
  }

  #count(): void {
    if (this.#over) return;
    const { items, audio, input, transcripts } = this.#parts;
    const bytes = Math.max(0, items + audio + input + transcripts - uncounted);
    if (bytes > this.#counted) this.#share?.take(bytes - this.#counted);
    else if (bytes < this.#counted) this.#share?.give(this.#counted - bytes);
    this.#counted = bytes;
  }
}
