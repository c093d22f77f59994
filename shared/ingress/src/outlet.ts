/** Where an answer is written to: a client's HTTP response, or what stands before one or in its place. */
export interface Outlet {
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
