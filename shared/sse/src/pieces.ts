/** The most pieces that are stored before they are joined. */
const mostSmall = 1_024;

/** Bytes that arrive in pieces, possibly of one byte each: small pieces are joined as they arrive. */
export class Pieces {
  #joined: Buffer[] = [];
  #small: Buffer[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(piece: Buffer): void {
    this.#small.push(piece);
    this.#length += piece.length;
    if (this.#small.length < mostSmall) return;
    this.#joined.push(Buffer.concat(this.#small));
    this.#small = [];
  }

  /** Returns all bytes; a single piece is not copied. */
  whole(): Buffer {
    const [only] = this.#small;
    if (only && this.#joined.length === 0 && this.#small.length === 1) return only;
    return Buffer.concat([...this.#joined, ...this.#small]);
  }

  /** Returns a copy of all bytes. */
  copy(): Uint8Array<ArrayBuffer> {
    const copy = new Uint8Array(this.#length);
    let at = 0;
    for (const piece of [...this.#joined, ...this.#small]) {
      copy.set(piece, at);
      at += piece.length;
    }
    return copy;
  }

  clear(): void {
    this.#joined = [];
    this.#small = [];
    this.#length = 0;
  }
}
