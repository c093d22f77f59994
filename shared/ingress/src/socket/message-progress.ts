/** The longest header of a frame, in bytes: two, eight of length and four of mask. */
const maxHeader = 14;
/** Overhead in bytes counted for each frame and each chunk read from the socket. */
const pieceOverhead = 256;

const finalBit = 0x80;
const maskBit = 0x80;
const controlBit = 0x08;
const closeOpcode = 0x08;

/**
 * Tracks how much of an incomplete WebSocket message has arrived, by reading the headers of the client's frames.
 * Protocol errors are left to the library.
 */
export class MessageProgress {
  readonly #header = Buffer.alloc(maxHeader);
  #headerLength = 0;
  #payloadLeft = 0;
  #partial = false;
  #held = 0;
  #closed = false;
  #ended: 'message' | 'control' | undefined;

  /** True if a message has arrived in part. Control frames are no messages. */
  get partial(): boolean {
    return this.#partial && !this.#closed;
  }

  /** The end that the last read met: of a whole message, or of a control frame; undefined if it met neither. */
  get ended(): 'message' | 'control' | undefined {
    return this.#ended;
  }

  /** True once the client has sent a close frame, after which nothing is read. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Memory that the incomplete message uses, in bytes, including the overhead of its pieces. */
  get held(): number {
    return this.#held;
  }

  /** Reads a chunk from `from` on, up to the end of the next message or control frame. Returns the offset after it. */
  read(chunk: Uint8Array, from = 0): number {
    this.#ended = undefined;
    let at = from;
    while (at < chunk.length && !this.#ended && !this.#closed) {
      if (this.#payloadLeft > 0) {
        const length = Math.min(this.#payloadLeft, chunk.length - at);
        at += length;
        this.#payloadLeft -= length;
        if (this.#isData) this.#held += length;
      } else {
        this.#header[this.#headerLength++] = chunk[at++] as number;
        if (this.#headerLength < this.#headerSize()) continue;
        this.#begin();
      }
      if (this.#payloadLeft === 0) this.#end();
    }
    if (this.#partial) this.#held += pieceOverhead;
    return at;
  }

  get #isData(): boolean {
    return ((this.#header[0] as number) & controlBit) === 0;
  }

  /** The length of the current header, as far as it is known. */
  #headerSize(): number {
    if (this.#headerLength < 2) return 2;
    const second = this.#header[1] as number;
    const length = second & ~maskBit;
    return 2 + (length === 127 ? 8 : length === 126 ? 2 : 0) + (second & maskBit ? 4 : 0);
  }

  #begin(): void {
    const length = (this.#header[1] as number) & ~maskBit;
    if (length === 127) this.#payloadLeft = Number(this.#header.readBigUInt64BE(2));
    else if (length === 126) this.#payloadLeft = this.#header.readUInt16BE(2);
    else this.#payloadLeft = length;
    this.#headerLength = 0;
    if (!this.#isData) return;
    this.#partial = true;
    this.#held += pieceOverhead;
  }

  #end(): void {
    const first = this.#header[0] as number;
    if ((first & 0x0f) === closeOpcode) this.#closed = true;
    if (!this.#isData) this.#ended = 'control';
    else if (first & finalBit) {
      this.#ended = 'message';
      this.#partial = false;
      this.#held = 0;
    }
  }
}
