import { type Faults, Slab } from '@model-gateway/bus';
import { type GatewayError, type Route, toGatewayError } from '@model-gateway/canonical';
import type { Clock, Timer } from '@model-gateway/clock';
import type { RenderedError } from '@model-gateway/formats/client';
import { writeInSteps } from '@model-gateway/json';
import { nextTurn } from '@model-gateway/service';

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

/** A response that is being written. */
interface OpenAnswer {
  check(now: number): void;
  fail(error: GatewayError): void;
}

/** The responses that a process is writing, each checked once a second until it is closed. */
export class OpenAnswers {
  /** The time by which they are checked. */
  readonly clock: Clock;
  /** Takes what their callbacks throw. */
  readonly faults: Faults;
  readonly #answers = new Slab<OpenAnswer>();
  /** Returns the time, in seconds since 1970. */
  readonly seconds = () => Math.floor(this.clock.now() / 1_000);
  readonly #timer: Timer;

  constructor(clock: Clock, faults: Faults) {
    this.clock = clock;
    this.faults = faults;
    this.#timer = clock.setInterval(() => this.#check(), 1_000).unref();
  }

  /** Returns the response's place, for `remove`. */
  add(answer: OpenAnswer): number {
    return this.#answers.add(answer);
  }

  remove(place: number, answer: OpenAnswer): void {
    this.#answers.remove(place, answer);
  }

  /** Ends all responses with an error, for a shutdown. */
  close(error: GatewayError): void {
    this.clock.clearInterval(this.#timer);
    for (const answer of this.#answers) this.faults.run('answer', () => answer.fail(error));
  }

  #check(): void {
    const now = this.clock.now();
    for (const answer of this.#answers) {
      try {
        answer.check(now);
      } catch (thrown) {
        this.faults.report('answer', thrown);
        this.faults.run('answer', () => answer.fail(toGatewayError(thrown)));
      }
    }
  }
}

/** Characters written at once of a body in pieces. */
const pieceCharacters = 256 * 1024;

/** The state of a response while its body is written in several writes. */
export interface OpenBody {
  response: ResponseSink;
  /** Resolves when the client has taken the waiting bytes, or is gone. */
  drained(): Promise<void>;
  /** Reserves bytes that are about to be held. @throws GatewayError if there is no room */
  hold(bytes: number): void;
  /** True if the response has ended. */
  isOver(): boolean;
}

/** A wait for the client to take the waiting bytes. */
export class Drain {
  #waiting: PromiseWithResolvers<void> | undefined;

  /** Resolves with the next {@link resolve}. */
  wait(): Promise<void> {
    this.#waiting ??= Promise.withResolvers();
    return this.#waiting.promise;
  }

  resolve(): void {
    this.#waiting?.resolve();
    this.#waiting = undefined;
  }
}

/** Writes a body of rendered pieces as the client takes it. Returns false if the response ended before. */
export async function writePieces(body: OpenBody, pieces: Iterable<string>): Promise<boolean> {
  body.response.writeHead(200, { 'content-type': 'application/json' });
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < pieceCharacters) continue;
    if (!(await writePart(body, text))) return false;
    text = '';
  }
  body.response.write(text);
  return true;
}

/** Serializes a large JSON body in steps and writes it. Returns false if the response ended before. */
export async function writeLargeJson(body: OpenBody, value: unknown): Promise<boolean> {
  const over = new Error('the response has ended');
  const signal = {
    throwIfAborted() {
      if (body.isOver()) throw over;
    },
  };
  const written = writeInSteps(value, nextTurn, { take: bytes => body.hold(bytes), signal });
  const parts = await written.catch(thrown => {
    if (thrown !== over) throw thrown;
  });
  if (!parts || body.isOver()) return false;
  const length = parts.reduce((sum, { length }) => sum + length, 0);
  body.response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
  for (const part of parts) if (!(await writePart(body, part))) return false;
  return true;
}

async function writePart(body: OpenBody, part: string | Uint8Array): Promise<boolean> {
  body.response.write(part);
  if (body.response.writableNeedDrain) await body.drained();
  // A fast client must not block other requests.
  await nextTurn();
  return !body.isOver();
}

export function sendError(
  response: ResponseSink,
  { status, body, reason, retryAfterMs, retry }: RenderedError,
): void {
  if (reason) response.setHeader('x-gateway-reason', reason);
  if (retryAfterMs !== undefined)
    response.setHeader('retry-after', Math.max(1, Math.ceil(retryAfterMs / 1000)));
  if (retry === false) response.setHeader('x-should-retry', 'false');
  // Do not wait for the rest of a body that arrived too slowly.
  if (status === 408) response.setHeader('connection', 'close');
  sendJson(response, status, body);
}

export function sendJson(response: ResponseSink, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
