import { type Edits, memberText, spliceTopLevel, toGatewayError } from '@model-gateway/canonical';
import { ForwardingSink, type ResponseSink, renderChatError, sendError } from '@model-gateway/ingress';
import { doneMark } from './recorders.ts';
import type { Ending, Rewriter } from './rewriter.ts';

/** Keeps what an answer writes. */
export interface AnswerRecorder {
  /** Takes events of a stream; the empty text says that it lives. */
  events(text: string, last?: boolean): void;
  /** Resolves once the response is kept. @throws GatewayError if it cannot be: then nobody is to be told that it is */
  settle(response: string): Promise<unknown>;
}

type Mode = 'whole' | 'stream' | 'error';

/** Stands before a client whose answer is kept: the end goes out once it is. */
export class StoredResponseSink extends ForwardingSink {
  readonly #rewriter: Rewriter;
  readonly #fields: Edits;
  readonly #keeper: AnswerRecorder;
  #mode: Mode | undefined;
  #head: Record<string, string | number> = {};
  #whole: Uint8Array[] = [];
  #over = false;
  #status = 200;

  constructor(
    to: ResponseSink,
    { rewriter, fields, keeper }: { rewriter: Rewriter; fields: Edits; keeper: AnswerRecorder },
  ) {
    super(to);
    this.#rewriter = rewriter;
    this.#fields = fields;
    this.#keeper = keeper;
    to.on('close', () => this.#left());
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
      this.#keeper.events('');
      this.to.write(data);
    } else {
      const text = this.#rewriter.push(data);
      if (text === '') return;
      this.#keeper.events(text);
      this.to.write(text);
    }
  }

  override end(data?: string | Uint8Array): void {
    if (data !== undefined && data.length > 0) this.write(data);
    if (this.#over) return;
    this.#over = true;
    if (this.#mode === 'error' || this.#mode === undefined) return super.end();
    const ended = this.#mode === 'stream' ? this.#endStream() : this.#endWhole();
    // Of what cannot be read nobody can say that it is kept.
    ended.catch(() => this.to.destroy());
  }

  async #endWhole(): Promise<void> {
    const response = spliceTopLevel(Buffer.concat(this.#whole), this.#fields);
    try {
      await this.#keeper.settle(response.toString());
    } catch (thrown) {
      const error = renderChatError(toGatewayError(thrown));
      this.#status = error.status;
      return sendError(this.to, error);
    }
    this.to.writeHead(200, { ...this.#head, 'content-length': response.length });
    this.to.end(response);
  }

  async #endStream(): Promise<void> {
    const { text: last, response } = this.#endingOr(() => this.#rewriter.fail('The answer broke off.'));
    const isGood = memberText(Buffer.from(response), 'status') !== '"failed"';
    const text = isGood && !last.endsWith(doneMark) ? last + doneMark : last;
    const told = await this.#keeper.settle(response).then(
      () => text,
      // Why it failed is worth more than that this is not kept.
      thrown => (isGood ? this.#rewriter.failInstead(toGatewayError(thrown).message).text : text),
    );
    this.#keeper.events(told, true);
    this.to.end(told);
  }

  /** The client left before the end, which it can read elsewhere. */
  #left(): void {
    if (this.#over) return;
    this.#over = true;
    // What has not begun has no id by which anybody could come for it.
    if (this.#mode !== 'stream' || this.#rewriter.next === 0) return;
    const { text, response } = this.#endingOr(() => this.#rewriter.cut('cancelled'));
    this.#keeper.events(text, true);
    this.#keeper.settle(response).catch(() => {});
  }

  /** How the stream said that it ended, else how it is ended now. */
  #endingOr(make: () => Ending): Ending {
    const { ending } = this.#rewriter;
    if (ending?.response) return ending;
    const { text, response } = make();
    return { text: (ending?.text ?? '') + text, response };
  }
}
