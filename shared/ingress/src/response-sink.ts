/** Where an answer is written to: a client's HTTP response, or what stands before one or in its place. */
export interface ResponseSink {
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  readonly statusCode: number;
  /** What was written waits: write no more before `drain`. */
  readonly writableNeedDrain: boolean;
  /** Bytes that the client has not taken. */
  readonly writableLength: number;
  setHeader(name: string, value: string | number): unknown;
  writeHead(status: number, headers: Record<string, string | number>): unknown;
  write(data: string | Uint8Array): unknown;
  end(data?: string | Uint8Array): unknown;
  /** Breaks off. */
  destroy(): unknown;
  /** `close`: nothing that is written arrives any more, or all of it did. */
  on(event: 'drain' | 'close', listener: () => void): unknown;
}

/** Passes an answer on as it is; whoever changes it overrides what passes there. */
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
