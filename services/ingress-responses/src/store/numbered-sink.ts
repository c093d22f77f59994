import { ForwardingSink } from '@model-gateway/ingress';
import { EventSplitter, splitEvents } from '@model-gateway/sse';
import { numbered } from './rewriter.ts';

/** Numbers the events of a stream whose upstream does not number them. Any other response passes unchanged. */
export class NumberedSink extends ForwardingSink {
  readonly #splitter = new EventSplitter();
  #isStream = false;
  /** Undefined before the first event, which shows it. */
  #numbers: boolean | undefined;
  #next = 0;

  override writeHead(status: number, headers: Record<string, string | number>): void {
    this.#isStream = status === 200 && String(headers['content-type']).startsWith('text/event-stream');
    super.writeHead(status, headers);
  }

  override write(data: string | Uint8Array): void {
    if (this.#passes(data)) return super.write(data);
    const text = this.#numbered(data);
    if (text !== '') super.write(text);
  }

  override end(data: string | Uint8Array = ''): void {
    if (this.#passes(data)) return super.end(data);
    super.end(this.#numbered(data) + this.#splitter.rest.toString());
  }

  #passes(data: string | Uint8Array): boolean {
    if (this.#numbers !== undefined) return !this.#numbers;
    const isComment = data.length === 0 || data[0] === ':' || data[0] === colon;
    if (!this.#isStream || isComment) return true;
    const hasNumber =
      typeof data === 'string' ? data.includes(numberField) : bufferOf(data).includes(numberField);
    this.#numbers = !hasNumber;
    return hasNumber;
  }

  #numbered(data: string | Uint8Array): string {
    let out = '';
    for (const event of splitEvents(this.#splitter.push(bufferOf(data)).toString())) {
      const json = /^data: ?(\{[^\r\n]*)/m.exec(event)?.[1];
      out += json ? event.replace(json, () => numbered(json, this.#next++)) : event;
    }
    return out;
  }
}

const numberField = '"sequence_number"';
const colon = 0x3a;

function bufferOf(data: string | Uint8Array): Buffer {
  return typeof data === 'string'
    ? Buffer.from(data)
    : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}
