import {
  type Citation,
  type FinishEvent,
  GatewayError,
  type GenerateEvent,
  type Message,
  noUsage,
  type PartStart,
  type Usage,
} from '@model-gateway/canonical';
import { inputIn, outputIn } from '../upstream/any-usage.ts';
import { AnswerIds } from '../upstream/call-ids.ts';
import { answerFailure } from '../upstream/decode-openai-failure.ts';
import type { Decoder } from '../upstream/dialect.ts';
import { type FormatReader, TranslatedEvents } from '../upstream/event-stream.ts';
import { failedReason, finishReason, throwIfFailed } from '../upstream/finish-reason.ts';
import { errorEvents, wellFormed } from '../upstream/malformed.ts';
import { eventObject, parseObject, type StreamEvent } from '../upstream/read-json.ts';
import {
  type CohereChatEvent,
  type CohereCitation,
  type CohereUsage,
  cohereChatAnswer,
  cohereChatEvent,
} from './types.ts';

/** The facts of a request that its answer does not repeat. */
export interface AnswerNames {
  /** The model that was asked: the format's answers do not name theirs. */
  model: string;
  /** Unique to the request; seeds the ids of calls that have none. */
  seed: string;
  /** The conversation before the answer. */
  history?: readonly Message[];
  /** Maps a tool name sent upstream to the client's name. */
  toolName(wire: string): string;
}

export function decodeStream(names: AnswerNames): Decoder {
  const reader = new Reader();
  const parts = new Parts(names);
  return new TranslatedEvents(reader, {
    add: event => translate(event, parts, names),
    end: () => [...parts.end(), reader.finish(parts)],
  });
}

/** Reads the usage, the errors and the end of a stream. */
class Reader implements FormatReader<CohereChatEvent> {
  readonly endMark = 'ends-valid';
  #reason: string | undefined;
  usage: Usage | null = null;
  characters = 0;

  get ended(): boolean {
    return this.#reason !== undefined;
  }

  get complete(): boolean {
    return this.ended;
  }

  read(source: StreamEvent): CohereChatEvent | undefined {
    const value = eventObject(source);
    // A failure in the middle is the body of an error, without a type.
    if (value && typeof value.type !== 'string' && (value.message || value.error)) throw answerFailure(value);
    if (value && value.type === undefined && source.event) value.type = source.event;
    const event = wellFormed(cohereChatEvent, value);
    const { message, finish_reason: reason, usage, error } = event.delta ?? {};
    this.characters += charactersOf(message);
    if (event.type !== 'message-end') return event;
    if (usage) this.usage = readUsage(usage);
    throwFailed(reason, error);
    this.#reason = reason ?? '';
    return undefined;
  }

  finish(parts: Parts): FinishEvent {
    return finish(this.#reason ?? '', this.usage, parts);
  }
}

/** @throws GatewayError for an answer whose end says that it failed */
function throwFailed(reason: string | null | undefined, error: string | null | undefined): void {
  if (error) throw new GatewayError(failedReason(reason)?.fails ?? 'upstream', error);
  throwIfFailed(reason);
  if (!reason) throw new GatewayError('upstream', 'The upstream ended its answer without a finish reason.');
}

function translate(event: CohereChatEvent, parts: Parts, { model }: AnswerNames): GenerateEvent[] {
  const { message } = event.delta ?? {};
  switch (event.type) {
    case 'message-start':
      return [{ type: 'start', id: event.id ?? '', model }];
    case 'content-start':
    case 'content-delta':
      return [...parts.reasoning(message?.content?.thinking), ...parts.text(message?.content?.text)];
    case 'tool-plan-delta':
      return parts.reasoning(message?.tool_plan);
    case 'tool-call-start':
    case 'tool-call-delta':
      return parts.call(event.index ?? 0, message?.tool_calls);
    case 'citation-start':
      parts.cite(message?.citations);
      return [];
    default:
      return [];
  }
}

/** Decodes a whole answer that came instead of a stream; undefined if the body is none. */
export function decodeBody(body: Buffer, names: AnswerNames): GenerateEvent[] | undefined {
  const { success, data } = cohereChatAnswer.safeParse(parseObject(body.toString('utf8')));
  if (!success) return undefined;
  const parts = new Parts(names);
  const { content, tool_plan: plan, tool_calls: calls, citations } = data.message;
  try {
    // An answer with content is whole without a finish reason, too.
    const reason = data.finish_reason || (content?.length || calls?.length ? 'COMPLETE' : '');
    throwFailed(reason, undefined);
    for (const citation of citations ?? []) parts.cite(citation);
    const events = [
      ...(content ?? []).flatMap(piece => [...parts.reasoning(piece.thinking), ...parts.text(piece.text)]),
      ...parts.reasoning(plan),
      ...(calls ?? []).flatMap((call, index) => parts.call(index, call)),
      ...parts.end(),
    ];
    const usage = data.usage ? readUsage(data.usage) : null;
    return [
      { type: 'start', id: data.id ?? '', model: names.model },
      ...events,
      finish(reason, usage, parts),
    ];
  } catch (thrown) {
    return errorEvents(thrown);
  }
}

function finish(raw: string, usage: Usage | null, parts: Parts): FinishEvent {
  const reason = finishReason(raw);
  const called = parts.called && reason === 'stop';
  return { type: 'finish', reason: called ? 'tool-calls' : reason, raw, usage };
}

/** Counts the characters of a delta, from which tokens are estimated. */
function charactersOf(message: NonNullable<CohereChatEvent['delta']>['message']): number {
  const { content, tool_plan: plan, tool_calls: call } = message ?? {};
  const texts = [content?.text, content?.thinking, plan, call?.function?.arguments];
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

type ToolCall = NonNullable<NonNullable<CohereChatEvent['delta']>['message']>['tool_calls'];

interface PartsOptions {
  seed: string;
  /** The conversation before the answer. */
  history?: readonly Message[];
  toolName(wire: string): string;
}

/** Makes parts of an answer's pieces. One text or reasoning part is open at a time; calls are told apart by index. */
export class Parts {
  readonly #options: PartsOptions;
  readonly #ids: AnswerIds;
  readonly #calls = new Map<number, number>();
  readonly #citations: Citation[] = [];
  #count = 0;
  #open: { type: 'text' | 'reasoning'; index: number } | undefined;

  constructor(options: PartsOptions) {
    this.#options = options;
    this.#ids = new AnswerIds(options);
  }

  /** True if the model called a tool. */
  called = false;

  text(text: string | null | undefined): GenerateEvent[] {
    return this.#add('text', text);
  }

  reasoning(text: string | null | undefined): GenerateEvent[] {
    return this.#add('reasoning', text);
  }

  /**
   * Adds a piece of a call; the first one has its name. A name begins another call, whatever the index says.
   * @throws GatewayError for a piece without a call
   */
  call(index: number, call: ToolCall): GenerateEvent[] {
    const { name, arguments: json } = call?.function ?? {};
    const part = name ? undefined : this.#calls.get(index);
    if (part !== undefined) return json ? [{ type: 'part-delta', index: part, text: json }] : [];
    if (!name) throw new GatewayError('upstream', 'The upstream sent a tool call without a name.');
    const ended = [...this.#close(), ...this.#endCall(index)];
    const id = this.#ids.of(call?.id);
    const { at, started } = this.#start({ type: 'tool-call', id, name: this.#options.toolName(name) });
    this.#calls.set(index, at);
    this.called = true;
    return [...ended, started, ...(json ? [{ type: 'part-delta' as const, index: at, text: json }] : [])];
  }

  /** Keeps the sources of a citation that have an address; others cannot be expressed. */
  cite(citation: CohereCitation | null | undefined): void {
    const { start, end, sources } = citation ?? {};
    const place = typeof start === 'number' && typeof end === 'number' ? { start, end } : {};
    for (const { document, tool_output: output } of sources ?? []) {
      const { url, title } = document ?? output ?? {};
      if (url) this.#citations.push({ url, title: title ?? '', ...place });
    }
  }

  /** Ends the open parts. */
  end(): GenerateEvent[] {
    return [...this.#close(), ...[...this.#calls.keys()].flatMap(index => this.#endCall(index))];
  }

  #endCall(index: number): GenerateEvent[] {
    const part = this.#calls.get(index);
    this.#calls.delete(index);
    return part === undefined ? [] : [{ type: 'part-end', index: part }];
  }

  #add(type: 'text' | 'reasoning', text: string | null | undefined): GenerateEvent[] {
    if (!text) return [];
    if (this.#open?.type === type) return [{ type: 'part-delta', index: this.#open.index, text }];
    const ended = this.#close();
    const { at: index, started } = this.#start({ type });
    this.#open = { type, index };
    return [...ended, started, { type: 'part-delta', index, text }];
  }

  #start(part: PartStart): { at: number; started: GenerateEvent } {
    const at = this.#count++;
    return { at, started: { type: 'part-start', index: at, part } };
  }

  #close(): GenerateEvent[] {
    if (!this.#open) return [];
    const { type, index } = this.#open;
    this.#open = undefined;
    const citations = type === 'text' ? this.#citations.splice(0) : [];
    return [{ type: 'part-end', index, ...(citations.length > 0 && { citations }) }];
  }
}

/**
 * Reads the usage: the tokens that the model read and wrote, of which the vendor bills those in `billed_units`. The prompt's
 * tokens include those that the vendor adds itself, such as its preamble, and which it does not bill.
 */
export function readUsage(raw: CohereUsage): Usage {
  const { billed_units: billed, tokens, cached_tokens: cached } = raw;
  const searches = billed?.search_units;
  const input = inputIn(billed ?? {}) || inputIn(tokens ?? {}) || inputIn(raw);
  return {
    ...noUsage,
    input,
    cachedInput: Math.min(cached ?? 0, input),
    output: outputIn(billed ?? {}) || outputIn(tokens ?? {}) || outputIn(raw),
    ...(searches && { units: { searches } }),
    raw,
  };
}
