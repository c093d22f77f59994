import {
  type FinishReason,
  GatewayError,
  type GenerateEvent,
  memberText,
  parseExact,
  type Turn,
  toErrorEvent,
  type Usage,
} from '@model-gateway/canonical';
import { sseEvent } from '@model-gateway/sse';
import {
  type MessagesStreamEvent,
  type MessagesUpstreamBlock,
  type MessagesUpstreamDelta,
  type MessagesUpstreamStop,
  type MessagesUpstreamUsage,
  messagesStreamEvent,
  messagesTokenCount,
  messagesUpstreamAnswer,
} from '@model-gateway/wire';
import type { Decoder } from '../dialect.ts';
import { firstEvents } from '../first-events.ts';
import { parseObject, unreadable } from '../read-json.ts';
import { eventObject, type StreamEvent, StreamEvents } from '../stream-events.ts';
import { verbatimBody, WholeBody } from '../whole-body.ts';
import { Blocks } from './decode-blocks.ts';
import { answerFailure } from './decode-failure.ts';
import { laterUsage, readUsage } from './decode-usage.ts';
import type { KnownTool } from './encode-tools.ts';

/** The form of the decoded response: the upstream's bytes, or parts. `tools`: the request's tools. */
export type StreamTarget = { verbatim: true } | { tools: ReadonlyMap<string, KnownTool> };

/** Parses each event of a stream once, and passes on its bytes or its events. */
export class StreamDecoder implements Decoder {
  readonly #source = new StreamEvents();
  /** Undefined if the bytes are passed on. */
  readonly #blocks: Blocks | undefined;
  #usage: MessagesUpstreamUsage | undefined;
  #stop: MessagesUpstreamStop = {};
  #characters = 0;
  #over = false;

  constructor(target: StreamTarget) {
    this.#blocks = 'tools' in target ? new Blocks(target.tools) : undefined;
  }

  get complete(): boolean {
    return Boolean(this.#stop.stop_reason);
  }

  get usage(): Usage | null {
    return this.#usage ? readUsage(this.#usage) : null;
  }

  get characters(): number {
    return this.#characters;
  }

  read(bytes: Buffer): GenerateEvent[] {
    const whole = this.#whole(bytes);
    return Buffer.isBuffer(whole) ? this.#events(whole) : whole;
  }

  readInSteps(bytes: Buffer, turn: Turn): GenerateEvent[] | Promise<GenerateEvent[]> {
    const whole = this.#whole(bytes);
    return Buffer.isBuffer(whole) ? this.#source.decode(whole, turn, () => this.#events(whole)) : whole;
  }

  /** Returns the bytes of complete events; if there are none, the resulting events. */
  #whole(bytes: Buffer): Buffer | GenerateEvent[] {
    if (this.#over) return [];
    try {
      const whole = this.#source.push(bytes);
      return whole.length === 0 ? [] : whole;
    } catch (cause) {
      return this.#fail(unreadable(cause));
    }
  }

  end(): GenerateEvent[] {
    if (this.#over) return [];
    if (!this.complete)
      return this.#fail(new GatewayError('upstream', 'The upstream ended its answer too early.'));
    // The stop reason was received, so the response is complete: only its end marker is missing.
    const marker = Buffer.from(sseEvent('{"type":"message_stop"}', 'message_stop'));
    return [...(this.#blocks ? [] : verbatim(marker)), ...this.#finish()];
  }

  #events(whole: Buffer): GenerateEvent[] {
    const events: GenerateEvent[] = [];
    let good = 0;
    try {
      for (const event of this.#source.read(whole)) {
        events.push(...this.#look(event));
        good++;
        if (this.#over) break;
      }
    } catch (error) {
      const passed = this.#blocks ? events : verbatim(firstEvents(whole, good));
      return [...passed, ...this.#fail(asGatewayError(error))];
    }
    const passed = this.#blocks ? events : verbatim(whole);
    return this.#over ? [...passed, ...this.#finish()] : passed;
  }

  /** Records an event. Returns its parts, unless the bytes are passed on. @throws GatewayError for an invalid event */
  #look(streamEvent: StreamEvent): GenerateEvent[] {
    const event = parseEvent(streamEvent);
    switch (event?.type) {
      case 'message_start': {
        const { id, model, usage } = event.message;
        if (usage) this.#usage = laterUsage(this.#usage, usage);
        return [
          { type: 'start', id: id ?? '', model: model ?? '', ...(usage && { usage: readUsage(usage) }) },
        ];
      }
      case 'content_block_start':
        return this.#blocks?.start(event.index, withExactInput(event.content_block, streamEvent.data)) ?? [];
      case 'content_block_delta':
        this.#characters += charactersOf(event.delta);
        return this.#blocks?.delta(event.index, event.delta) ?? [];
      case 'content_block_stop':
        return this.#blocks?.stop(event.index) ?? [];
      case 'message_delta':
        if (event.usage) this.#usage = laterUsage(this.#usage, event.usage);
        if (event.delta.stop_reason) this.#stop = event.delta;
        return [];
      case 'message_stop':
        if (!this.complete) throw withoutStopReason();
        this.#over = true;
        return [];
      case 'error':
        throw answerFailure(event.error);
      case 'ping':
      case undefined:
        return [];
    }
  }

  #finish(): GenerateEvent[] {
    this.#over = true;
    const left = this.#blocks?.stopAll() ?? [];
    return [...left, finish(this.#stop, this.#usage, this.#blocks)];
  }

  #fail(error: GatewayError): GenerateEvent[] {
    this.#over = true;
    return [toErrorEvent(error)];
  }
}

/** Passes a non-streamed response or a token count on byte for byte, after it was received and validated. */
export class WholeDecoder extends WholeBody {
  protected decode(bytes: Buffer): GenerateEvent[] {
    const body = parseObject(bytes.toString('utf8'));
    if (body?.error) return [toErrorEvent(answerFailure(body.error))];
    const ending = readEnding(body);
    if (!ending) return [toErrorEvent(new GatewayError('upstream', 'The upstream sent a malformed answer.'))];
    if (body?.type === 'message' && !body.stop_reason) return [toErrorEvent(withoutStopReason())];
    return [verbatimBody(bytes), ending];
  }
}

/** Decodes a JSON body that was returned instead of a stream; undefined if it is not a response. */
export function decodeBody(body: Buffer, tools: ReadonlyMap<string, KnownTool>): GenerateEvent[] | undefined {
  const read = messagesUpstreamAnswer.safeParse(parseObject(body.toString('utf8')));
  if (!read.success) return undefined;
  if (!read.data.stop_reason) return [toErrorEvent(withoutStopReason())];
  const { id, model, usage } = read.data;
  const blocks = new Blocks(tools);
  try {
    const content = messagesUpstreamAnswer.shape.content.parse(
      parseExact(memberText(body, 'content') ?? '[]'),
    );
    const parts = content.flatMap((block, i) => [...blocks.start(i, block), ...blocks.stop(i)]);
    const start: GenerateEvent = { type: 'start', id: id ?? '', model: model ?? '' };
    return [start, ...parts, finish(read.data, usage ?? undefined, blocks)];
  } catch (thrown) {
    return [toErrorEvent(asGatewayError(thrown))];
  }
}

/** Parses a call's input again with its exact numbers, for upstreams that do not stream it. */
function withExactInput(block: MessagesUpstreamBlock, data: string): MessagesUpstreamBlock {
  if (!block.input || Object.keys(block.input).length === 0) return block;
  const text = memberText(Buffer.from(data), 'content_block');
  const input = text && memberText(Buffer.from(text), 'input');
  return input ? { ...block, input: parseExact(input) } : block;
}

function readEnding(body: unknown): GenerateEvent | undefined {
  const answer = messagesUpstreamAnswer.safeParse(body);
  if (answer.success) return finish(answer.data, answer.data.usage ?? undefined);
  if (messagesTokenCount.safeParse(body).success)
    return { type: 'finish', reason: 'stop', raw: null, usage: null };
  return undefined;
}

const known = new Set<unknown>(messagesStreamEvent.options.map(option => option.shape.type.value));

/** Parses an event; undefined for an unknown type. @throws GatewayError for a malformed event */
function parseEvent(event: StreamEvent): MessagesStreamEvent | undefined {
  const value = eventObject(event);
  if (value && typeof value.type === 'string' && !known.has(value.type)) return undefined;
  // Some upstreams send a bare error object without a type.
  if (value?.error) throw answerFailure(value.error);
  const parsed = messagesStreamEvent.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new GatewayError('upstream', 'The upstream sent a malformed event.', {}, { cause: parsed.error });
}

function withoutStopReason(): GatewayError {
  return new GatewayError('upstream', 'The upstream ended its answer without a stop reason.');
}

function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  throw error;
}

function verbatim(bytes: Buffer): GenerateEvent[] {
  return bytes.length === 0 ? [] : [{ type: 'verbatim', bytes }];
}

function finish(
  { stop_reason: raw, stop_sequence: sequence, stop_details: details }: MessagesUpstreamStop,
  usage: MessagesUpstreamUsage | undefined,
  blocks?: Blocks,
): GenerateEvent {
  return {
    type: 'finish',
    reason: finishReason(raw, blocks),
    raw: raw ?? null,
    usage: usage ? readUsage(usage) : null,
    ...(sequence && { stopSequence: sequence }),
    ...(details?.explanation && { explanation: details.explanation }),
  };
}

/** Counts the characters of a delta, from which tokens are estimated. */
function charactersOf({ text, thinking, partial_json: json }: MessagesUpstreamDelta): number {
  return (text?.length ?? 0) + (thinking?.length ?? 0) + (json?.length ?? 0);
}

function finishReason(raw: string | null | undefined, blocks: Blocks | undefined): FinishReason {
  switch (raw) {
    case 'end_turn':
      return blocks?.called ? 'tool-calls' : 'stop';
    // If no tool of the client was called, the call was of the answer tool.
    case 'tool_use':
      return blocks && !blocks.called ? 'stop' : 'tool-calls';
    case 'stop_sequence':
      return 'stop-sequence';
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'pause_turn':
    case 'compaction':
      return 'pause';
    case 'refusal':
      return 'refusal';
    default:
      return 'other';
  }
}

/** Reads a token count. */
export function readCount(body: unknown): number | undefined {
  return messagesTokenCount.safeParse(body).data?.input_tokens;
}
