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

/**
 * A response that writes each chunk of its body as one buffer, and a small whole body with its headers. Node makes four
 * buffers of a chunk and two of a whole response, which costs more than the rest of the write. Express has responses of its own:
 * those that it handles are written by Node.
 */
export class ChunkedResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
  /** Names and values by turns, until they are sent. Node would keep a table of them until the response ends. */
  #headers: Headers = [...noSniffHeader];
  /** True once this object encodes the chunks (RFC 9112, section 7.1) in place of Node. */
  #encodes = false;
  #hasWritten = false;

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
    if (this.socket) joinWrites(this.socket);
    // An empty chunk would end the body.
    const sent = this.#encodes && data.length > 0 ? chunk(data, textEncoding(encoding)) : data;
    const isReady = super.write(sent, encoding as BufferEncoding, callback);
    if (this.#encodes) freeHead(this as SentHead);
    return isReady;
  }

  override end(data?: string | Uint8Array | Callback, encoding?: Encoding, callback?: Callback): this {
    if (this.writableEnded) return super.end(data, encoding as BufferEncoding, callback);
    const done = [data, encoding, callback].find(each => typeof each === 'function') as Callback;
    if (this.#encodes) {
      const last =
        typeof data !== 'function' && data ? chunk(data, textEncoding(encoding), lastChunk) : lastChunk;
      return super.end(last, done);
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

/** The sockets whose writes are joined until the end of this turn. */
const corked: Socket[] = [];

/** Joins the writes of a turn, as Node does, which would call `process.nextTick` for each socket: it costs a tenth of a write. */
function joinWrites(socket: Socket): void {
  if (socket.writableCorked > 0) return;
  socket.cork();
  if (corked.push(socket) === 1) process.nextTick(uncork);
}

function uncork(): void {
  for (const socket of corked.splice(0)) socket.uncork();
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

function textEncoding(encoding: Encoding | undefined): BufferEncoding | undefined {
  return typeof encoding === 'function' ? undefined : encoding;
}

const lastChunk = '0\r\n\r\n';

/** Encodes a chunk; `after` follows it. */
function chunk(data: string | Uint8Array, encoding: BufferEncoding | undefined, after = ''): Buffer {
  const size = typeof data === 'string' ? Buffer.byteLength(data, encoding) : data.length;
  const head = `${size.toString(16)}\r\n`;
  const end = `\r\n${after}`;
  const bytes = Buffer.allocUnsafe(head.length + size + end.length);
  bytes.write(head, 'latin1');
  if (typeof data === 'string') bytes.write(data, head.length, encoding);
  else bytes.set(data, head.length);
  bytes.write(end, head.length + size, 'latin1');
  return bytes;
}
