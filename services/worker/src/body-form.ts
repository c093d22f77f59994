import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import { GatewayError } from '@model-gateway/canonical';

/** The form of a body: server-sent events, JSON, or something else. */
export type BodyForm = 'events' | 'json' | 'other';

/** The most bytes that tell the form of a body. Some servers send blank lines before an answer, so that the connection stays open. */
export const maxFormBytes = 1_024;

const openBrace = 0x7b;
const openBracket = 0x5b;
const fields = ['data:', 'event:', 'id:', 'retry:'];

/** Returns the form that the first bytes of a body tell; undefined if more are needed. Labels of media types are often wrong. */
export function bodyForm(first: Buffer): BodyForm | undefined {
  // A byte order mark has three bytes.
  if (first[0] === 0xef && first.length < 3) return undefined;
  if (first[0] === openBrace || first[0] === openBracket) return 'json';
  const text = first.toString('utf8').trimStart();
  if (/^[{[]/.test(text)) return 'json';
  if (text.startsWith(':') || fields.some(field => text.startsWith(field))) return 'events';
  const mayBeField = fields.some(field => field.startsWith(text));
  return mayBeField && first.length < maxFormBytes ? undefined : 'other';
}

/** The largest allowed compression ratio. */
export const mostInflation = 800;
/** Decompressed size in bytes up to which the compression ratio is not limited. */
export const inflationCountsFrom = 1_000_000;

/** A body may end within its compressed form: its content tells whether it is whole. */
const zlibOptions = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const brotliOptions = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

/** Returns the decompressor of a body by its `content-encoding` and its first bytes; null if it is not compressed, whatever its label says. */
export function decompressorOf(encodings: string | string[] | undefined, first: Buffer): Decompressor | null {
  const [encoding, ...others] = encodings === undefined ? [] : namesOf(encodings);
  const stream = others.length === 0 ? streamOf(encoding, first) : undefined;
  return stream ? new Decompressor(stream) : null;
}

function namesOf(encodings: string | string[]): string[] {
  return [encodings]
    .flat()
    .flatMap(names => names.toLowerCase().split(','))
    .map(name => name.trim())
    .filter(name => name !== '' && name !== 'identity');
}

/** Yields the pieces of a body, decompressed. @throws GatewayError of kind `upstream` */
export async function* decompressed(
  encodings: string | string[] | undefined,
  body: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void> {
  let decompressor: Decompressor | null | undefined;
  for await (const chunk of body) {
    if (decompressor === undefined) decompressor = decompressorOf(encodings, chunk);
    if (decompressor) yield* decompressor.add(chunk);
    else yield chunk;
  }
  if (decompressor) yield* decompressor.end();
}

function streamOf(encoding: string | undefined, first: Buffer): Transform | undefined {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return begins(first, 0x1f, 0x8b) ? createGunzip(zlibOptions) : undefined;
    case 'deflate':
      if (isPlain(first)) return undefined;
      // Some servers leave out the header of zlib.
      return ((first[0] ?? 0) & 0x0f) === 8 ? createInflate(zlibOptions) : createInflateRaw(zlibOptions);
    case 'br':
      return isPlain(first) ? undefined : createBrotliDecompress(brotliOptions);
    case 'zstd':
      return begins(first, 0x28, 0xb5, 0x2f, 0xfd) ? createZstdDecompress() : undefined;
    case undefined:
      return first.length > 2 && begins(first, 0x1f, 0x8b, 8) ? createGunzip(zlibOptions) : undefined;
    default:
      return undefined;
  }
}

/** True if the first bytes may be these: fewer may have come. */
function begins(first: Buffer, ...magic: number[]): boolean {
  const known = Math.min(first.length, magic.length);
  for (let at = 0; at < known; at++) if (first[at] !== magic[at]) return false;
  return true;
}

/** True for the beginning of JSON or of server-sent events. */
function isPlain(first: Buffer): boolean {
  return /^\s*(?:\{\s*"|\[\s*\{|data:|event:)/.test(first.toString('latin1', 0, 64));
}

/** Decompresses the chunks of a body, each of which may become many pieces. */
export class Decompressor {
  readonly #stream: Transform;
  #compressed = 0;
  #size = 0;
  #isClosed = false;
  #failure: Error | undefined;
  #wake = () => {};

  constructor(stream: Transform) {
    this.#stream = stream;
    stream.on('readable', () => this.#wake());
    // No callback of a write needs to follow.
    stream.on('error', error => {
      this.#failure = error;
      this.#wake();
    });
  }

  /** Yields the pieces of a chunk; the one before must have been read. @throws GatewayError of kind `upstream` */
  add(chunk: Buffer): AsyncGenerator<Buffer, void> {
    this.#compressed += chunk.length;
    return this.#pieces(done => this.#stream.write(chunk, done));
  }

  /** Yields the last pieces. @throws GatewayError of kind `upstream` */
  end(): AsyncGenerator<Buffer, void> {
    return this.#pieces(done => this.#stream.end(done));
  }

  close(): void {
    this.#isClosed = true;
    this.#stream.destroy();
    this.#wake();
  }

  async *#pieces(run: (done: (error?: Error | null) => void) => void): AsyncGenerator<Buffer, void> {
    let done = false;
    run(error => {
      done = true;
      this.#failure ??= error ?? undefined;
      this.#wake();
    });
    while (!this.#isClosed) {
      const piece: Buffer | null = this.#stream.read();
      if (piece) yield this.#counted(piece);
      else if (this.#failure) throw unreadable(this.#failure);
      else if (done) return;
      else
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
    }
  }

  #counted(piece: Buffer): Buffer {
    this.#size += piece.length;
    if (this.#size > inflationCountsFrom && this.#size > mostInflation * this.#compressed) throw inflated();
    return piece;
  }
}

export function inflated(): GatewayError {
  return new GatewayError('upstream', 'The upstream sent a response that is too large after decompression.');
}

function unreadable(cause: Error): GatewayError {
  const message = 'The upstream sent a compressed response that cannot be read.';
  return new GatewayError('upstream', message, {}, { cause });
}
