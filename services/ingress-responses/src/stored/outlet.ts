import { type Edits, memberText, spliceTopLevel } from '@model-gateway/canonical';
import type { Outlet } from '@model-gateway/ingress';
import { sseEvent } from '@model-gateway/sse';
import type { Rewriter } from './rewriter.ts';

/** Keeps what an answer writes. */
export interface Keeper {
  /** Takes events of a stream; the empty text says that it lives. */
  events(text: string, last?: boolean): void;
  /** Resolves once the response is kept; false if it cannot be. */
  settle(response: string): Promise<boolean>;
}

/** The mark after the last event of a good stream, which not every upstream sends. */
const done = sseEvent('[DONE]');

type Mode = 'whole' | 'stream' | 'error';

/** Stands before a client whose answer is kept: the end goes out once it is. */
export class StoredOutlet implements Outlet {
  readonly #to: Outlet;
  readonly #rewriter: Rewriter;
  readonly #fields: Edits;
  readonly #keeper: Keeper;
  #mode: Mode | undefined;
  #head: Record<string, string | number> = {};
  #whole: Uint8Array[] = [];
  #over = false;
  statusCode = 200;

  constructor(
    to: Outlet,
    { rewriter, fields, keeper }: { rewriter: Rewriter; fields: Edits; keeper: Keeper },
  ) {
    this.#to = to;
    this.#rewriter = rewriter;
    this.#fields = fields;
    this.#keeper = keeper;
    to.on('close', () => this.#left());
  }

  get headersSent(): boolean {
    return this.#mode !== undefined;
  }
  get destroyed(): boolean {
    return this.#to.destroyed;
  }
  get writableNeedDrain(): boolean {
    return this.#to.writableNeedDrain;
  }
  get writableLength(): number {
    return this.#to.writableLength;
  }

  on(event: 'drain' | 'close', listener: () => void): void {
    this.#to.on(event, listener);
  }

  setHeader(name: string, value: string | number): void {
    this.#to.setHeader(name, value);
  }

  writeHead(status: number, headers: Record<string, string | number>): void {
    this.statusCode = status;
    const streamed = String(headers['content-type']).startsWith('text/event-stream');
    this.#mode = status !== 200 ? 'error' : streamed ? 'stream' : 'whole';
    if (this.#mode === 'whole') this.#head = headers;
    else this.#to.writeHead(status, headers);
  }

  write(data: string | Uint8Array): void {
    if (this.#mode === 'error') this.#to.write(data);
    else if (this.#mode === 'whole') this.#whole.push(Buffer.from(data as Uint8Array));
    else if (typeof data === 'string' && data.startsWith(':')) {
      this.#keeper.events('');
      this.#to.write(data);
    } else {
      const text = this.#rewriter.push(data);
      if (text === '') return;
      this.#keeper.events(text);
      this.#to.write(text);
    }
  }

  end(data?: string | Uint8Array): void {
    if (data !== undefined && data.length > 0) this.write(data);
    if (this.#over) return;
    this.#over = true;
    if (this.#mode === 'stream') void this.#endStream();
    else if (this.#mode === 'whole') void this.#endWhole();
    else this.#to.end();
  }

  destroy(): void {
    this.#to.destroy();
  }

  async #endWhole(): Promise<void> {
    const response = spliceTopLevel(Buffer.concat(this.#whole), this.#fields);
    const kept = await this.#keeper.settle(response.toString());
    const told = kept ? response : asNotStored(response);
    this.#to.writeHead(200, { ...this.#head, 'content-length': told.length });
    this.#to.end(told);
  }

  async #endStream(): Promise<void> {
    const { ending } = this.#rewriter;
    if (!ending?.response) return void this.#to.end(ending?.text);
    const { response } = ending;
    const isGood = memberText(Buffer.from(response), 'status') !== '"failed"';
    const text = isGood && !ending.text.endsWith(done) ? ending.text + done : ending.text;
    const kept = await this.#keeper.settle(response);
    const told = kept ? text : text.replace(response, () => String(asNotStored(Buffer.from(response))));
    this.#keeper.events(told, true);
    this.#to.end(told);
  }

  /** The client left before the end, which it can read elsewhere. */
  #left(): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#mode !== 'stream') return;
    const { ending } = this.#rewriter;
    const { text, response } = ending?.response ? ending : this.#rewriter.cut('cancelled');
    this.#keeper.events(text, true);
    void this.#keeper.settle(response);
  }
}

function asNotStored(response: Buffer): Buffer {
  return spliceTopLevel(response, new Map([['store', 'false']]));
}
