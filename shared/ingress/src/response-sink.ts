import type { Route } from '@model-gateway/canonical';

/** The destination of a response: a client's HTTP response, or an object that wraps or replaces one. */
export interface ResponseSink {
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  readonly statusCode: number;
  /** True if the buffer is full: write no more before `drain`. */
  readonly writableNeedDrain: boolean;
  /** Bytes that the client has not taken. */
  readonly writableLength: number;
  setHeader(name: string, value: string | number): unknown;
  writeHead(status: number, headers: Record<string, string | number>): unknown;
  write(data: string | Uint8Array): unknown;
  end(data?: string | Uint8Array): unknown;
  /** Closes the connection without completing the response. */
  destroy(): unknown;
  /** `close`: the response was sent completely, or the connection is closed. */
  on(event: 'drain' | 'close', listener: () => void): unknown;
}

/** Forwards a response unchanged; subclasses override the methods whose data they change. */
export class ForwardingSink implements ResponseSink {
  protected readonly to: ResponseSink;

  constructor(to: ResponseSink) {
    this.to = to;
  }

  get headersSent(): boolean {
    return this.to.headersSent;
  }
  get destroyed(): boolean {
    return this.to.destroyed;
  }
  get statusCode(): number {
    return this.to.statusCode;
  }
  get writableNeedDrain(): boolean {
    return this.to.writableNeedDrain;
  }
  get writableLength(): number {
    return this.to.writableLength;
  }

  setHeader(name: string, value: string | number): void {
    this.to.setHeader(name, value);
  }

  writeHead(status: number, headers: Record<string, string | number>): void {
    this.to.writeHead(status, headers);
  }

  write(data: string | Uint8Array): void {
    this.to.write(data);
  }

  end(data?: string | Uint8Array): void {
    this.to.end(data);
  }

  destroy(): void {
    this.to.destroy();
  }

  on(event: 'drain' | 'close', listener: () => void): void {
    this.to.on(event, listener);
  }
}

/** Writes a body piece by piece. The last piece is written with the end of the response, which saves a write to the socket. */
export class BodyWriter {
  readonly #to: ResponseSink;
  #last: string | Uint8Array = '';

  constructor(to: ResponseSink) {
    this.#to = to;
  }

  /** Keeps a piece until another one, `flush` or `end` follows. */
  write(piece: string | Uint8Array): void {
    if (piece.length === 0) return;
    this.flush();
    this.#last = piece;
  }

  /** Writes the piece that is kept. */
  flush(): void {
    if (this.#last.length > 0) this.#to.write(this.#last);
    this.#last = '';
  }

  /** Ends the response after the piece that is kept. */
  end(): void {
    this.#to.end(this.#last);
    this.#last = '';
  }
}

/** Names the model and the target that answer, unless a keep-alive has sent the headers. */
export function announce({ provider, model, fallback }: Route, asked: string, response: ResponseSink): void {
  if (response.headersSent) return;
  response.setHeader('x-gateway-served-model', headerValue(fallback ?? asked));
  response.setHeader('x-gateway-target', headerValue(`${provider}/${model}`));
}

/** Encodes a model's name for a header. */
export function headerValue(text: string): string {
  return /^[\x21-\x7e]*$/.test(text) ? text : encodeURIComponent(text.toWellFormed());
}

/** Time without any byte received by the client after which its connection is closed, in milliseconds. */
export const clientStuckMs = 300_000;

/** Knows when a client last took bytes that waited for it. */
export class ClientProgress {
  /** Unsent bytes at the last check. */
  #waiting = 0;
  #takenAt: number;

  constructor(now: number) {
    this.#takenAt = now;
  }

  /** True if the client has taken nothing for {@link clientStuckMs}. Called once a second with the unsent bytes. */
  isStuck(waiting: number, now: number): boolean {
    if (waiting === 0 || waiting !== this.#waiting) this.#takenAt = now;
    this.#waiting = waiting;
    return now - this.#takenAt > clientStuckMs;
  }
}
