import { ForwardingSink, type ResponseSink } from '../answer/response-sink.ts';

/** The parts of a response that a log reads. */
interface ResponseReader {
  head(mediaType: string): void;
  body(bytes: Buffer): void;
  closed(): void;
}

/** Forwards a response, and passes it to a log as the client receives it. */
export class LoggedSink extends ForwardingSink {
  readonly #reader: ResponseReader;

  constructor(to: ResponseSink, reader: ResponseReader) {
    super(to);
    this.#reader = reader;
    to.on('close', () => reader.closed());
  }

  override writeHead(status: number, headers: Record<string, string | number>): void {
    this.#reader.head(String(headers['content-type'] ?? ''));
    super.writeHead(status, headers);
  }

  override write(data: string | Uint8Array): void {
    this.#read(data);
    super.write(data);
  }

  override end(data?: string | Uint8Array): void {
    if (data !== undefined) this.#read(data);
    super.end(data);
  }

  #read(data: string | Uint8Array): void {
    // What is written once the client has left does not reach it.
    if (data.length > 0 && !this.destroyed) this.#reader.body(bytesOf(data));
  }
}

/** Returns data as a buffer; the bytes of an array are not copied. */
export function bytesOf(data: string | Uint8Array): Buffer {
  return typeof data === 'string'
    ? Buffer.from(data)
    : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
