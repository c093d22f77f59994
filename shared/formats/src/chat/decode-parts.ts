import type {
  Citation,
  Ending,
  FinishReason,
  GenerateEvent,
  MediaPart,
  PartStart,
  StartEvent,
  Usage,
} from '@model-gateway/canonical';
import type { Translation } from '../upstream/event-stream.ts';
import { finishReason, laterReason } from '../upstream/finish-reason.ts';
import { malformed } from '../upstream/malformed.ts';
import { type ChatChunk, type ChatContentPiece, type ChatDelta, chatAnnotation } from './answer.ts';
import type { Chunks } from './decode-chunks.ts';
import { type AnswerOptions, ToolCalls } from './decode-tool-calls.ts';
import {
  type ChatReasoningDetail,
  isEncryptedReasoning,
  joinedReasoning,
  readReasoningDetails,
  reasoningSignature,
  reasoningText,
} from './reasoning.ts';

const noEvents: GenerateEvent[] = [];

type TextType = 'text' | 'reasoning' | 'refusal';

/** Turns deltas into parts. The format does not mark where a part starts or ends. */
class AnswerParts {
  readonly #calls: ToolCalls;
  #count = 0;
  /** The text part that is open. */
  #open: { type: TextType; index: number } | undefined;
  #refused = false;
  /** The detail whose text the open reasoning is. */
  #detail: ChatReasoningDetail | undefined;
  /** Characters of text before the open part; `#length` counts all. */
  #before = 0;
  #length = 0;
  /** Citations with positions in the message, sent at the end of the next text part. */
  #citations: Citation[] = [];

  constructor(options: AnswerOptions) {
    this.#calls = new ToolCalls({ ...options, nextPart: () => this.#count++ });
  }

  /** True if the model called a tool. */
  get called(): boolean {
    return this.#calls.any;
  }

  /** True if the model sent a refusal. */
  get refused(): boolean {
    return this.#refused;
  }

  /** Adds a delta, or a message, which has the same fields. @throws GatewayError for text of the wrong type */
  add(delta: ChatDelta): GenerateEvent[] {
    if (delta.annotations)
      for (const each of decodeAnnotations(delta.annotations)) this.#citations.push(each);
    const { content, refusal, reasoning_content, reasoning, tool_calls, function_call, images } = delta;
    const details = delta.reasoning_details ? readReasoningDetails(delta.reasoning_details) : undefined;
    // The text is in the details, too.
    const told = details?.some(detail => reasoningText(detail) !== '');
    const events = [
      ...this.#text('reasoning', told ? '' : reasoning_content || reasoning),
      ...(details ? details.flatMap(detail => this.#reasoning(detail)) : noEvents),
      ...decodeContent(content).flatMap(({ type, text }) => this.#text(type, text)),
      ...this.#text('refusal', refusal),
      ...decodeImages(images).flatMap(part => this.#whole(part)),
    ];
    const calls =
      function_call?.name || function_call?.arguments
        ? [{ index: -1, function: function_call }]
        : (tool_calls ?? []);
    if (calls.length === 0) return events;
    events.push(...this.#close());
    for (const call of calls) events.push(...this.#calls.add(call));
    return events;
  }

  /** Ends the open parts. @throws GatewayError for a tool call without a name */
  end(): GenerateEvent[] {
    return [...this.#close(), ...this.#calls.endAll()];
  }

  /** Ends the open parts but calls that may go on after what follows. */
  #endComplete(): GenerateEvent[] {
    return [...this.#close(), ...this.#calls.endComplete()];
  }

  #text(type: TextType, value: string | null | undefined): GenerateEvent[] {
    if (!value) return [];
    const text = asText(value);
    if (type === 'text') this.#length += text.length;
    if (this.#open?.type === type) return [{ type: 'part-delta', index: this.#open.index, text }];
    if (type === 'refusal') this.#refused = true;
    const ended = this.#endComplete();
    const index = this.#count++;
    this.#open = { type, index };
    if (type === 'text') this.#before = this.#length - text.length;
    return [...ended, { type: 'part-start', index, part: { type } }, { type: 'part-delta', index, text }];
  }

  /** Adds a detail of reasoning, in pieces of which only the last ones may hold its signature. */
  #reasoning(detail: ChatReasoningDetail): GenerateEvent[] {
    if (isEncryptedReasoning(detail)) return this.#whole({ type: 'reasoning', redacted: true }, detail);
    const text = reasoningText(detail);
    const isNext = this.#detail && this.#detail.index !== detail.index;
    const ended = isNext && text !== '' ? this.#close() : [];
    const events = [...ended, ...this.#text('reasoning', text)];
    if (this.#open?.type === 'reasoning') this.#detail = joinedReasoning(this.#detail, detail);
    else if (detail.signature) events.push(...this.#whole({ type: 'reasoning' }, detail));
    return events;
  }

  /** Adds a part that is complete at once. */
  #whole(part: PartStart, detail?: ChatReasoningDetail): GenerateEvent[] {
    const ended = this.#endComplete();
    const index = this.#count++;
    const signed = detail && { signature: reasoningSignature(detail) };
    return [...ended, { type: 'part-start', index, part }, { type: 'part-end', index, ...signed }];
  }

  #close(): GenerateEvent[] {
    if (!this.#open) return [];
    const { type, index } = this.#open;
    this.#open = undefined;
    const citations = type === 'text' ? this.#cited() : [];
    const signed = type === 'reasoning' && this.#detail && { signature: reasoningSignature(this.#detail) };
    if (type === 'reasoning') this.#detail = undefined;
    return [{ type: 'part-end', index, ...(citations.length > 0 && { citations }), ...signed }];
  }

  /** Returns the citations with positions in the part. One with positions outside cites the whole part. */
  #cited(): Citation[] {
    const before = this.#before;
    const length = this.#length - before;
    const cited = this.#citations.map(({ url, title, start = 0, end = 0 }) => {
      const within = start >= before && start < end && end <= before + length;
      return { url, title, ...(within && { start: start - before, end: end - before }) };
    });
    this.#citations = [];
    return cited;
  }
}

/** A piece of content: text or reasoning. */
interface TextPiece {
  type: 'text' | 'reasoning';
  text: string;
}

/** Decodes content: a string or a list of pieces. @throws GatewayError for any other type */
function decodeContent(content: string | ChatContentPiece[] | null | undefined): TextPiece[] {
  if (!content) return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw malformed('event', 'content: is neither a string nor a list');
  return content.flatMap(decodePiece);
}

function decodePiece(piece: ChatContentPiece | string | null): TextPiece[] {
  if (typeof piece === 'string') return [{ type: 'text', text: piece }];
  if (piece === null) throw malformed('event', 'content: an entry is null');
  const { type, text, thinking = [] } = piece;
  if (type === 'thinking') return decodeContent(thinking).map(({ text }) => ({ type: 'reasoning', text }));
  if (text !== undefined && text !== null) return [{ type: 'text', text }];
  if (typeof type !== 'string') throw malformed('event', 'content: an entry has neither a type nor a text');
  // References to sources hold no text.
  return [];
}

/** Returns the value if it is a string. @throws GatewayError for any other type */
function asText(value: unknown): string {
  if (typeof value !== 'string') throw malformed('event', 'a text of the delta is not a string');
  return value;
}

/** Reads the URL citations of a message's annotations, with positions in the message. Others are skipped. */
function decodeAnnotations(annotations: unknown): Citation[] {
  if (!Array.isArray(annotations)) return [];
  return annotations.flatMap(value => {
    const { success, data } = chatAnnotation.safeParse(value);
    if (!success) return [];
    const { url, title, start_index: start, end_index: end } = data.url_citation;
    const place = start !== undefined && end !== undefined ? { start, end } : {};
    return [{ url, title: title ?? '', ...place }];
  });
}

/** Decodes the images that the model generated. @throws GatewayError for anything but a list of objects */
function decodeImages(images: ChatDelta['images']): MediaPart[] {
  if (!Array.isArray(images ?? []) || images?.some(image => image === null))
    throw malformed('event', 'images: is not a list of objects');
  return (images ?? []).flatMap(({ image_url: image }) => (image?.url ? [decodeImage(image.url)] : []));
}

/** Decodes an image that the model generated. */
function decodeImage(url: string): MediaPart {
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  if (mediaType && data) return { type: 'media', kind: 'image', source: { type: 'base64', data }, mediaType };
  return { type: 'media', kind: 'image', source: { type: 'url', url } };
}

/** Returns the translation of the chunks that `chunks` reads. */
export function translation(options: ChoicesOptions, chunks: Chunks): Translation<ChatChunk> {
  const answer = new AnswerChoices(options);
  return { add: chunk => answer.add(chunk), end: () => answer.end(chunks.usage) };
}

export interface ChoicesOptions extends AnswerOptions {
  stop: readonly string[];
  /** Number of requested choices; 1 if absent. */
  choices?: number;
}

/** The state of one choice. */
interface Choice {
  parts: AnswerParts;
  raw: string | null;
  stopSequence?: string;
}

/** Turns the deltas of each choice into events. */
export class AnswerChoices {
  readonly #options: ChoicesOptions;
  readonly #stop: ReadonlySet<string>;
  readonly #choices = new Map<number, Choice>();
  /** Held back until the response has a part, so that a retry at another upstream stays possible. */
  #start: StartEvent | undefined;
  #started = false;

  constructor(options: ChoicesOptions) {
    this.#options = options;
    this.#stop = new Set(options.stop);
  }

  /** True if a choice was requested; some upstreams send more. */
  has(choice: number): boolean {
    return choice < (this.#options.choices ?? 1);
  }

  add({ id, model, choices }: ChatChunk): GenerateEvent[] {
    // Chunks without choices, such as Azure's prompt filter results, have an empty id and model.
    if (choices?.length) this.#start ??= { type: 'start', id: id ?? '', model: model ?? '' };
    const events: GenerateEvent[] = [];
    for (const { index, delta, finish_reason: raw, stop_reason: stop } of choices ?? []) {
      const number = index ?? 0;
      if (!this.has(number)) continue;
      const choice = this.#choice(number);
      if (delta) for (const event of ofChoice(number, choice.parts.add(delta))) events.push(event);
      if (!raw) continue;
      choice.raw = laterReason(choice.raw, raw);
      if (typeof stop === 'string' && this.#stop.has(stop)) choice.stopSequence = stop;
    }
    return events.length > 0 ? this.#begin(events) : events;
  }

  /**
   * Ends every choice and the response. `otherwise` is the reason of choices that have none.
   * @throws GatewayError for a tool call without a name
   */
  end(usage: Usage | null, otherwise = reasonless(usage)): GenerateEvent[] {
    const { parts, ...first } = this.#choice(0);
    const events: GenerateEvent[] = [];
    for (const [number, choice] of this.#choices) {
      for (const event of ofChoice(number, choice.parts.end())) events.push(event);
      if (number > 0) events.push({ type: 'choice-end', choice: number, ...ending(choice, otherwise) });
    }
    return this.#begin([...events, { type: 'finish', ...ending({ parts, ...first }, otherwise), usage }]);
  }

  #choice(number: number): Choice {
    const found = this.#choices.get(number);
    if (found) return found;
    const { seed } = this.#options;
    const parts = new AnswerParts({ ...this.#options, seed: number === 0 ? seed : `${seed}.${number}` });
    const choice: Choice = { parts, raw: null };
    this.#choices.set(number, choice);
    return choice;
  }

  /** Puts the start event before the first part. */
  #begin(events: GenerateEvent[]): GenerateEvent[] {
    if (this.#started) return events;
    this.#started = true;
    return [this.#start ?? { type: 'start', id: '', model: '' }, ...events];
  }
}

function ofChoice(choice: number, events: GenerateEvent[]): GenerateEvent[] {
  return choice === 0 ? events : events.map(event => ({ ...event, choice }) as GenerateEvent);
}

/** Derives the finish reason. Tool calls replace an ordinary end, and a refusal that or an unknown reason. */
function ending({ parts, raw, stopSequence }: Choice, otherwise: FinishReason): Ending {
  const reason = raw ? finishReason(raw) : otherwise;
  const ordinary = !raw || reason === 'stop' || reason === 'stop-sequence';
  if (ordinary && parts.called) return { reason: 'tool-calls', raw };
  if ((ordinary || reason === 'other') && parts.refused) return { reason: 'refusal', raw };
  return ordinary && stopSequence ? { reason: 'stop-sequence', raw, stopSequence } : { reason, raw };
}

/**
 * Returns the reason of a response that ended without one. Its usage, which comes last, tells that it is whole. The end mark alone does not:
 * some relays also send it after a response that was cut off.
 */
export function reasonless(usage: Usage | null): FinishReason {
  return usage ? 'stop' : 'length';
}
