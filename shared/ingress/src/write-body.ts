import type { RenderedError } from '@model-gateway/formats/client';
import { writeInSteps } from '@model-gateway/json';
import { nextTurn } from '@model-gateway/service';
import type { ResponseSink } from './response-sink.ts';

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
  { status, body, retryAfterMs, retry }: RenderedError,
): void {
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
