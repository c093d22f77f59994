import type { Outlet } from '@model-gateway/ingress';
import { writeSummary } from '../stored/compaction.ts';

interface Answer {
  created_at?: number;
  output?: { type: string; content?: { type: string; text?: string }[] }[];
  usage?: unknown;
}

/** What a summary is given back as; undefined where the model gave none. */
export function renderCompaction(body: string, requestId: string): string | undefined {
  const { created_at, output = [], usage = null } = JSON.parse(body) as Answer;
  const parts = output.flatMap(({ type, content = [] }) => (type === 'message' ? content : []));
  const text = parts.map(part => (part.type === 'output_text' ? part.text : '')).join('');
  if (text === '') return undefined;
  const id = requestId.replace(/^req_/, '');
  const item = { type: 'compaction', id: `cmp_${id}`, encrypted_content: writeSummary(text) };
  return JSON.stringify({
    id: `resp_${id}`,
    object: 'response.compaction',
    created_at: created_at ?? Math.floor(Date.now() / 1_000),
    output: [item],
    usage,
  });
}

/** Makes an answer the compaction that it is of. */
export class CompactionOutlet implements Outlet {
  readonly #to: Outlet;
  readonly #requestId: string;
  readonly #failed: () => { status: number; body: unknown };
  #pieces: Buffer[] | undefined;
  #sent = false;

  constructor(to: Outlet, requestId: string, failed: () => { status: number; body: unknown }) {
    this.#to = to;
    this.#requestId = requestId;
    this.#failed = failed;
  }

  get headersSent(): boolean {
    return this.#sent;
  }
  get destroyed(): boolean {
    return this.#to.destroyed;
  }
  get statusCode(): number {
    return this.#to.statusCode;
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
  destroy(): void {
    this.#to.destroy();
  }

  writeHead(status: number, headers: Record<string, string | number>): void {
    this.#sent = true;
    if (status === 200) this.#pieces = [];
    else this.#to.writeHead(status, headers);
  }

  write(data: string | Uint8Array): void {
    if (this.#pieces) this.#pieces.push(Buffer.from(data as Uint8Array));
    else this.#to.write(data);
  }

  end(data?: string | Uint8Array): void {
    if (data !== undefined && data.length > 0) this.write(data);
    if (!this.#pieces) return void this.#to.end();
    const made = renderCompaction(Buffer.concat(this.#pieces).toString(), this.#requestId);
    const { status, body } = made ? { status: 200, body: made } : this.#failed();
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    this.#to.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    this.#to.end(text);
  }
}
