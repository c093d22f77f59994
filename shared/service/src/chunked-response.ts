import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHandler } from 'express';

/** The largest body in bytes that is joined with the headers. A larger one would cost more to copy than to write by itself. */
const maxJoined = 32 * 1024;
/** The length from which pieces are written before the end of their turn. */
const maxWaiting = 16 * 1024;

/**
 * A response that writes all parts of one turn of the event loop as one chunk in one buffer, and a small whole body with
 * its headers. Node makes four buffers of each part and two of a whole response, which costs more than the rest of the
 * write. Express has responses of its own: those that it handles are written by Node.
 */
export class ChunkedResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
  /** Names and values by turns, until they are sent. Node would keep a table of them until the response ends. */
  #headers: Headers = [...noSniffHeader];
  /** True once this object encodes the chunks (RFC 9112, section 7.1) in place of Node. */
  #encodes = false;
  #hasWritten = false;
  /** The parts of the body that wait for the end of this turn. */
  #pieces = noPieces;
  /** Their length: bytes, or characters of texts. */
  #waiting = 0;
  /** True while the end of this turn is awaited. */
  #joins = false;
  /** The socket whose writes wait for the end of this turn. */
  #corked: Socket | undefined;

  /** `name`: in lower case. */
  override setHeader(name: string, value: number | string | readonly string[]): this {
    if (this.headersSent) return super.setHeader(name, value);
    put(this.#headers, name, value as OutgoingHttpHeader);
    return this;
  }

  /** `headers`: names in lower case, or a list of names and values by turns. */
  override writeHead(status: number, ...more: unknown[]): this {
    const reason = typeof more[0] === 'string' ? (more.shift() as string) : undefined;
    const all = merged(this.#headers, (more[0] ?? {}) as OutgoingHttpHeaders | Headers);
    this.#headers = [];
    return reason === undefined ? super.writeHead(status, all) : super.writeHead(status, reason, all);
  }

  override write(data: string | Uint8Array, encoding?: Encoding, callback?: Callback): boolean {
    if (this.chunkedEncoding && this.headersSent) {
      this.chunkedEncoding = false;
      this.#encodes = true;
    }
    this.#hasWritten = true;
    this.#joinWrites();
    const hasCallback = typeof encoding === 'function' || callback !== undefined;
    if (!this.#encodes || hasCallback) {
      this.#flush();
      // An empty chunk would end the body.
      const sent = this.#encodes && data.length > 0 ? chunk([piece(data, encoding)]) : data;
      return super.write(sent, encoding as BufferEncoding, callback);
    }
    if (data.length > 0) this.#add(piece(data, encoding));
    if (this.#waiting >= maxWaiting) this.#flush();
    return !this.writableNeedDrain;
  }

  /**
   * Joins the writes to the socket until the end of this turn, as Node does. Node would call `process.nextTick` for
   * each socket: it costs a tenth of a write.
   */
  #joinWrites(): void {
    if (this.#joins) return;
    this.#joins = true;
    this.#corked = this.socket ?? undefined;
    this.#corked?.cork();
    if (joining.push(this) === 1) process.nextTick(endTurn);
  }

  /** Writes what waits for the end of the turn. */
  endTurn(): void {
    this.#joins = false;
    this.#flush();
    this.#corked?.uncork();
    this.#corked = undefined;
  }

  #add(data: Piece): void {
    if (this.#pieces.length > 0) this.#pieces.push(data);
    else this.#pieces = [data];
    this.#waiting += data.length;
  }

  /** Writes the waiting pieces as one chunk. */
  #flush(): void {
    if (this.#pieces.length === 0) return;
    super.write(this.#joined());
    freeHead(this as SentHead);
  }

  /** Removes the waiting pieces, and returns them as one chunk; `after` follows it. */
  #joined(after?: string): Buffer {
    const pieces = this.#pieces;
    this.#pieces = noPieces;
    this.#waiting = 0;
    return chunk(pieces, after);
  }

  override end(data?: string | Uint8Array | Callback, encoding?: Encoding, callback?: Callback): this {
    if (this.writableEnded) return super.end(data, encoding as BufferEncoding, callback);
    const done = [data, encoding, callback].find(each => typeof each === 'function') as Callback;
    if (this.#encodes) {
      if (typeof data !== 'function' && data?.length) this.#add(piece(data, encoding));
      return super.end(this.#pieces.length > 0 ? this.#joined(lastChunk) : lastChunk, done);
    }
    // Node joins the headers with a text only. Each character of Latin-1 is one byte.
    if (data instanceof Uint8Array && data.length <= maxJoined && this.headersSent && !this.#hasWritten)
      return super.end(
        Buffer.from(data.buffer, data.byteOffset, data.length).toString('latin1'),
        'latin1',
        done,
      );
    return super.end(data, encoding as BufferEncoding, callback);
  }
}

/** Frees the text of the headers, which were sent: Node keeps it until the response ends, only to know that there was one. */
function freeHead(response: SentHead): void {
  if (response._headerSent && response._header !== sentHead) response._header = sentHead;
}

const sentHead = 'sent';

/** The fields of a response in which Node keeps its head. */
interface SentHead {
  _header?: string;
  _headerSent?: boolean;
}

/** The responses whose writes are joined until the end of this turn. */
const joining: ChunkedResponse<IncomingMessage>[] = [];

function endTurn(): void {
  for (const response of joining.splice(0)) response.endTurn();
}

/** Browsers must not guess that a response is a page or a script. */
const noSniffHeader = ['x-content-type-options', 'nosniff'] as const;

/** Sets the same header in an Express application, whose responses are its own. */
export const noSniff: RequestHandler = (_request, response, next) => {
  response.setHeader(...noSniffHeader);
  next();
};

/** Names and values by turns. */
type Headers = OutgoingHttpHeader[];

/** Adds headers to a list, in place of those with the same names. */
function merged(list: Headers, headers: OutgoingHttpHeaders | Headers): Headers {
  if (Array.isArray(headers)) {
    const names = new Set(headers.filter((_, at) => at % 2 === 0).map(name => String(name).toLowerCase()));
    return [...list.filter((_, at) => !names.has(String(list[at - (at % 2)]))), ...headers];
  }
  for (const name in headers) put(list, name, headers[name] ?? '');
  return list;
}

/** Sets a header in a list. */
function put(list: Headers, name: string, value: OutgoingHttpHeader): void {
  for (let at = 0; at < list.length; at += 2) {
    if (list[at] !== name) continue;
    list[at + 1] = value;
    return;
  }
  list.push(name, value);
}

type Callback = (error?: Error | null) => void;
/** Node takes a callback in place of an encoding. */
type Encoding = BufferEncoding | Callback;

const lastChunk = '0\r\n\r\n';

/** A part of a body: bytes, or text in UTF-8. */
type Piece = string | Uint8Array;
/** The list of each response that waits for none. */
const noPieces: Piece[] = [];

function piece(data: string | Uint8Array, encoding: Encoding | undefined): Piece {
  const isText = typeof data === 'string';
  if (!isText || typeof encoding !== 'string' || encoding === 'utf8') return data;
  return Buffer.from(data, encoding);
}

/** Encodes pieces as one chunk; `after` follows it. */
function chunk(pieces: readonly Piece[], after = ''): Buffer {
  const size = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  const head = `${size.toString(16)}\r\n`;
  const end = `\r\n${after}`;
  const bytes = Buffer.allocUnsafe(head.length + size + end.length);
  let at = bytes.write(head, 'latin1');
  for (const piece of pieces) at += copy(piece, bytes, at);
  bytes.write(end, at, 'latin1');
  return bytes;
}

/** Copies a piece into `bytes`, and returns its length in bytes. */
function copy(piece: Piece, bytes: Buffer, at: number): number {
  if (typeof piece === 'string') return bytes.write(piece, at);
  bytes.set(piece, at);
  return piece.length;
}
