/** Assembles one HTTP/1.1 response from the bytes that a socket reads. */
export class AnswerReader {
  #rest: Buffer = Buffer.alloc(0);
  #status = 0;
  /** Bytes of the body, or `chunked`; undefined until the head is read. */
  #length: number | 'chunked' | undefined;
  #firstAt = 0;
  #lastAt = 0;
  readonly #gapsMs: number[] = [];
  readonly #body: Buffer[] = [];

  /** Adds bytes; returns the response once it is complete. */
  take(data: Buffer, now: number): Answer | undefined {
    this.#rest = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data]);
    if (this.#length === undefined && !this.#head()) return;
    this.#note(now);
    if (!(this.#length === 'chunked' ? this.#chunks() : this.#sized(this.#length as number))) return;
    const body = Buffer.concat(this.#body).toString();
    return { status: this.#status, body, firstAt: this.#firstAt, endedAt: now, gapsMs: this.#gapsMs };
  }

  /** Notes the time at which bytes of the body were read. */
  #note(now: number): void {
    if (this.#rest.length === 0) return;
    if (this.#firstAt === 0) this.#firstAt = now;
    else this.#gapsMs.push(now - this.#lastAt);
    this.#lastAt = now;
  }

  #head(): boolean {
    const end = this.#rest.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const head = this.#rest.toString('latin1', 0, end);
    this.#rest = this.#rest.subarray(end + 4);
    this.#status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (!length && !/\r\ntransfer-encoding: *chunked/i.test(head)) throw new Error(`no length in\n${head}`);
    this.#length = length ? Number(length) : 'chunked';
    return true;
  }

  #sized(length: number): boolean {
    if (this.#rest.length > length) throw new Error('more bytes came than the answer has');
    if (this.#rest.length < length) return false;
    this.#body.push(this.#rest);
    return true;
  }

  #chunks(): boolean {
    for (;;) {
      const line = this.#rest.indexOf('\r\n');
      if (line < 0) return false;
      const size = Number.parseInt(this.#rest.toString('latin1', 0, line), 16);
      if (Number.isNaN(size)) throw new Error('a chunk has no size');
      const begin = line + 2;
      if (this.#rest.length < begin + size + 2) return false;
      if (size === 0) return true;
      this.#body.push(this.#rest.subarray(begin, begin + size));
      this.#rest = this.#rest.subarray(begin + size + 2);
    }
  }
}

/** An HTTP response; times are of `performance.now()`. */
export interface Answer {
  status: number;
  body: string;
  /** The time of the first bytes of the body. */
  firstAt: number;
  endedAt: number;
  /** The times between two reads of the body, in milliseconds. */
  gapsMs: number[];
}
