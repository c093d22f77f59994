import type { Clock } from '@model-gateway/clock';
import { renderChatError } from '@model-gateway/formats/client';
import {
  countRenderer,
  joinTask,
  noSummary,
  parse,
  parseCompaction,
  parseCount,
  type ResponsesRendering,
  rendererOf,
  renderSummary,
  responsesFormat,
  storedId,
} from '@model-gateway/formats/responses';
import { type Endpoint, ForwardingSink, type ResponseSink } from '@model-gateway/ingress';
import { spliceTopLevel } from '@model-gateway/json';
import { expand, ownItems } from '../store/expand.ts';
import type { LocalTurns } from '../store/history.ts';
import { prepare } from '../store/prepare.ts';
import type { ResponseServices } from '../store/response-services.ts';

/** `POST /v1/responses`. `local` holds the turns of one WebSocket connection. */
export function responses(services: ResponseServices, local?: LocalTurns): Endpoint<ResponsesRendering> {
  return {
    ...responsesFormat,
    path: '/v1/responses',
    prepare: (body, request, requestId) => prepare(services, body, request, requestId, local),
    parse,
    render: rendererOf,
  };
}

export function inputTokens(services: ResponseServices): Endpoint {
  return {
    ...responsesFormat,
    path: '/v1/responses/input_tokens',
    prepare: (body, request) => expand(services, body, request),
    parse: parseCount,
    render: () => countRenderer,
  };
}

/** `POST /v1/responses/compact`: replaces a conversation by a summary, which any model can write. */
export function compact(services: ResponseServices): Endpoint<ResponsesRendering> {
  return {
    ...responsesFormat,
    path: '/v1/responses/compact',
    async prepare(body, request, requestId) {
      const { text, body: expanded } = await expand(services, body, request);
      const input = `[${joinTask(ownItems(text))}]`;
      const failed = () => renderChatError(noSummary());
      return {
        body: { ...expanded, input: JSON.parse(input), stream: false },
        text: spliceTopLevel(
          text,
          new Map([
            ['input', input],
            ['stream', 'false'],
          ]),
        ),
        through: sink => new CompactionSink(sink, requestId, services.store.clock, failed),
      };
    },
    parse: parseCompaction,
    render: rendererOf,
  };
}

interface Answer {
  created_at?: number;
  status?: string;
  output?: { type: string; content?: { type: string; text?: string }[] }[];
  usage?: unknown;
}

/** Renders the model's response as a compaction. Returns undefined if it holds no complete summary. */
function renderCompaction(body: string, requestId: string, now: number): string | undefined {
  const { created_at, status, output = [], usage = null } = JSON.parse(body) as Answer;
  // A truncated summary would lose part of the conversation.
  if (status === 'incomplete' || status === 'failed') return undefined;
  const parts = output.flatMap(({ type, content = [] }) => (type === 'message' ? content : []));
  const text = parts.map(part => (part.type === 'output_text' ? part.text : '')).join('');
  if (text === '') return undefined;
  return JSON.stringify({
    id: storedId(requestId),
    object: 'response.compaction',
    created_at: created_at ?? Math.floor(now / 1_000),
    output: [renderSummary(text, requestId)],
    usage,
  });
}

/** Collects a response and sends the client the compaction that it contains. */
class CompactionSink extends ForwardingSink {
  readonly #requestId: string;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #failed: () => { status: number; body: unknown };
  #pieces: Buffer[] | undefined;
  #sent = false;

  constructor(
    to: ResponseSink,
    requestId: string,
    clock: Pick<Clock, 'now'>,
    failed: () => { status: number; body: unknown },
  ) {
    super(to);
    this.#requestId = requestId;
    this.#clock = clock;
    this.#failed = failed;
  }

  override get headersSent(): boolean {
    return this.#sent;
  }

  override writeHead(status: number, headers: Record<string, string | number>): void {
    this.#sent = true;
    if (status === 200) this.#pieces = [];
    else this.to.writeHead(status, headers);
  }

  override write(data: string | Uint8Array): void {
    if (this.#pieces) this.#pieces.push(Buffer.from(data as Uint8Array));
    else this.to.write(data);
  }

  override end(data?: string | Uint8Array): void {
    if (data !== undefined && data.length > 0) this.write(data);
    if (!this.#pieces) return void this.to.end();
    const made = renderCompaction(Buffer.concat(this.#pieces).toString(), this.#requestId, this.#clock.now());
    const { status, body } = made ? { status: 200, body: made } : this.#failed();
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    this.to.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    this.to.end(text);
  }
}
