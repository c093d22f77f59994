import { toGatewayError } from '@model-gateway/canonical';
import { renderChatError } from '@model-gateway/formats/client';
import { ForwardingSink, type ResponseSink, sendError } from '@model-gateway/ingress';
import { type Edits, memberText, spliceTopLevel } from '@model-gateway/json';
import { EventSplitter, splitEvents } from '@model-gateway/sse';
import { doneMark, type Ending, numbered, type Rewriter } from './rewriter.ts';

/** Records the response that a request produces. */
export interface AnswerRecorder {
  /** Adds events of a stream. An empty text is a heartbeat. */
  events(text: string, last?: boolean): void;
  /**
   * Stores the response.
   * @throws GatewayError if it cannot be stored: it must not be acknowledged to the client
   */
  settle(response: string): Promise<unknown>;
}

type Mode = 'whole' | 'stream' | 'error';

/** Records a response while it is sent to the client. The end is sent after the response is stored. */
export class StoredResponseSink extends ForwardingSink {
  readonly #rewriter: Rewriter;
  readonly #fields: Edits;
  readonly #recorder: AnswerRecorder;
  #mode: Mode | undefined;
  #head: Record<string, string | number> = {};
  #whole: Uint8Array[] = [];
  #ended = false;
  #status = 200;

  constructor(
    to: ResponseSink,
    { rewriter, fields, recorder }: { rewriter: Rewriter; fields: Edits; recorder: AnswerRecorder },
  ) {
    super(to);
    this.#rewriter = rewriter;
    this.#fields = fields;
    this.#recorder = recorder;
    to.on('close', () => this.#disconnected());
  }

  override get headersSent(): boolean {
    return this.#mode !== undefined;
  }
  override get statusCode(): number {
    return this.#status;
  }

  override writeHead(status: number, headers: Record<string, string | number>): void {
    this.#status = status;
    const streamed = String(headers['content-type']).startsWith('text/event-stream');
    this.#mode = status !== 200 ? 'error' : streamed ? 'stream' : 'whole';
    if (this.#mode === 'whole') this.#head = headers;
    else this.to.writeHead(status, headers);
  }

  override write(data: string | Uint8Array): void {
    if (this.#mode === 'error') this.to.write(data);
    else if (this.#mode === 'whole') this.#whole.push(Buffer.from(data as Uint8Array));
    else if (typeof data === 'string' && data.startsWith(':')) {
      this.#recorder.events('');
      this.to.write(data);
    } else {
      const text = this.#rewriter.push(data);
      if (text === '') return;
      this.#recorder.events(text);
      this.to.write(text);
    }
  }

  override end(data?: string | Uint8Array): void {
    if (data !== undefined && data.length > 0) this.write(data);
    if (this.#ended) return;
    this.#ended = true;
    if (this.#mode === 'error' || this.#mode === undefined) return super.end();
    const end = this.#mode === 'stream' ? this.#endStream() : this.#endWhole();
    // If the response cannot be parsed, it is not acknowledged as stored.
    end.catch(() => this.to.destroy());
  }

  async #endWhole(): Promise<void> {
    const response = spliceTopLevel(Buffer.concat(this.#whole), this.#fields);
    try {
      await this.#recorder.settle(response.toString());
    } catch (thrown) {
      const error = renderChatError(toGatewayError(thrown));
      this.#status = error.status;
      return sendError(this.to, error);
    }
    this.to.writeHead(200, { ...this.#head, 'content-length': response.length });
    this.to.end(response);
  }

  async #endStream(): Promise<void> {
    const { text: last, response } = this.#endingOr(() =>
      this.#rewriter.fail('The response was interrupted.'),
    );
    const isGood = memberText(Buffer.from(response), 'status') !== '"failed"';
    const text = isGood && !last.endsWith(doneMark) ? last + doneMark : last;
    const sent = await this.#recorder.settle(response).then(
      () => text,
      // The error of a failed response takes precedence over the storage error.
      thrown => (isGood ? this.#rewriter.failInstead(toGatewayError(thrown).message).text : text),
    );
    this.#recorder.events(sent, true);
    this.to.end(sent);
  }

  /** Records the end of a stream whose client disconnected. The client can retrieve it later. */
  #disconnected(): void {
    if (this.#ended) return;
    this.#ended = true;
    // Before the first event the client has no id with which to retrieve the response.
    if (this.#mode !== 'stream' || this.#rewriter.next === 0) return;
    const { text, response } = this.#endingOr(() => this.#rewriter.cut('cancelled'));
    this.#recorder.events(text, true);
    this.#recorder.settle(response).catch(() => {});
  }

  /** Returns the stream's own end, else the end that `make` returns. */
  #endingOr(make: () => Ending): Ending {
    const { ending } = this.#rewriter;
    if (ending?.response) return ending;
    const { text, response } = make();
    return { text: (ending?.text ?? '') + text, response };
  }
}

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
