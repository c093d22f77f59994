import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

/** The answer that a plain client receives. */
export class Seen {
  status = 0;
  headers: IncomingHttpHeaders = {};
  text = '';
  /** The number of reads. */
  reads = 0;
  /** The outcome of the answer. */
  code = 'end';
  readonly ended: Promise<this>;
  readonly #request;

  constructor(url: string, body: string | Uint8Array, headers: Record<string, string> = {}) {
    const all = { 'anthropic-version': '2023-06-01', ...headers };
    this.#request = httpRequest(url, { method: 'POST', headers: all, agent: false });
    this.#request.on('error', () => {}).end(body);
    this.ended = this.#read().then(
      () => this,
      error => Object.assign(this, { code: error.code ?? 'none' }),
    );
  }

  async #read(): Promise<void> {
    const [response] = (await once(this.#request, 'response')) as [IncomingMessage];
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    for await (const chunk of response.setEncoding('utf8')) {
      this.text += chunk;
      this.reads++;
    }
  }

  leave(): void {
    this.#request.destroy();
  }
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
