import {
  type Citation,
  GatewayError,
  type GenerateEvent,
  type MediaPart,
  type PartStart,
} from '@model-gateway/canonical';
import { type ChatContentPiece, type ChatDelta, chatAnnotation } from '@model-gateway/wire';
import { ToolCalls } from './decode-tool-calls.ts';

export interface AnswerOptions {
  /** The client's name of a tool. */
  toolName(wire: string): string;
  /** What is unique about the request, for ids that the upstream leaves out. */
  seed: string;
  /** Signatures of calls go before them, too. */
  signedBefore?: boolean;
}

type Flowing = 'text' | 'reasoning' | 'refusal';

/** Makes parts of an answer's deltas: the format has no bounds between them. */
export class AnswerParts {
  readonly #calls: ToolCalls;
  #count = 0;
  /** The part that more text belongs to. */
  #open: { type: Flowing; index: number } | undefined;
  #refused = false;
  /** Characters of text before the open part, and in all. */
  #before = 0;
  #length = 0;
  /** Sources of the text, by where they are in the message; told at the end of the next part of text. */
  #citations: Citation[] = [];

  constructor(options: AnswerOptions) {
    this.#calls = new ToolCalls({ ...options, nextPart: () => this.#count++ });
  }

  /** The model called tools. */
  get called(): boolean {
    return this.#calls.any;
  }

  /** The model said why it will not answer. */
  get refused(): boolean {
    return this.#refused;
  }

  /** Takes a delta, or a whole message, which has the same fields. @throws GatewayError for text that is none */
  add(delta: ChatDelta): GenerateEvent[] {
    if (delta.annotations) this.#citations.push(...decodeAnnotations(delta.annotations));
    const { content, refusal, reasoning_content, reasoning, tool_calls, function_call, images } = delta;
    const events = [
      ...this.#text('reasoning', reasoning_content || reasoning),
      ...decodeContent(content).flatMap(({ type, text }) => this.#text(type, text)),
      ...this.#text('refusal', refusal),
      ...(images ?? []).flatMap(image => this.#image(image.image_url?.url)),
    ];
    const calls = function_call ? [{ index: -1, function: function_call }] : (tool_calls ?? []);
    if (calls.length === 0) return events;
    events.push(...this.#close());
    for (const call of calls) events.push(...this.#calls.add(call));
    return events;
  }

  /** Ends what is open. @throws GatewayError for a call that never got a name */
  end(): GenerateEvent[] {
    return [...this.#close(), ...this.#calls.endAll()];
  }

  #text(type: Flowing, given: string | null | undefined): GenerateEvent[] {
    if (!given) return [];
    const text = asText(given);
    if (type === 'text') this.#length += text.length;
    if (this.#open?.type === type) return [{ type: 'part-delta', index: this.#open.index, text }];
    if (type === 'refusal') this.#refused = true;
    const ended = this.end();
    const index = this.#count++;
    this.#open = { type, index };
    if (type === 'text') this.#before = this.#length - text.length;
    return [...ended, { type: 'part-start', index, part: { type } }, { type: 'part-delta', index, text }];
  }

  #image(url: string | undefined): GenerateEvent[] {
    if (!url) return [];
    const ended = this.end();
    const index = this.#count++;
    const part: PartStart = decodeImage(url);
    return [...ended, { type: 'part-start', index, part }, { type: 'part-end', index }];
  }

  #close(): GenerateEvent[] {
    if (!this.#open) return [];
    const { type, index } = this.#open;
    this.#open = undefined;
    const citations = type === 'text' ? this.#cited() : [];
    return [{ type: 'part-end', index, ...(citations.length > 0 && { citations }) }];
  }

  /** The sources so far, by where they are in the part; one that is elsewhere is of all of it. */
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

/** Text of an answer, by what it is. */
export interface Said {
  type: 'text' | 'reasoning';
  text: string;
}

/** A delta's or a message's content, as one text or as a list of pieces. @throws GatewayError for what is neither */
export function decodeContent(content: string | ChatContentPiece[] | null | undefined): Said[] {
  if (!content) return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw malformed();
  return content.flatMap(decodePiece);
}

function decodePiece({ type, text = '', thinking = [] }: ChatContentPiece): Said[] {
  switch (type) {
    case 'text':
      return [{ type, text }];
    case 'thinking':
      return decodeContent(thinking).map(({ text }) => ({ type: 'reasoning', text }));
    // References to sources, which hold no text.
    default:
      return [];
  }
}

/** A text, as a field of an answer ought to hold it. @throws GatewayError for anything else */
export function asText(value: unknown): string {
  if (typeof value !== 'string') throw malformed();
  return value;
}

function malformed(): GatewayError {
  return new GatewayError('upstream', 'The upstream sent a malformed event.');
}

/** The sources among a message's annotations, by where they are in the message; what cannot be read is none. */
export function decodeAnnotations(given: unknown): Citation[] {
  if (!Array.isArray(given)) return [];
  return given.flatMap(value => {
    const { success, data } = chatAnnotation.safeParse(value);
    if (!success) return [];
    const { url, title, start_index: start, end_index: end } = data.url_citation;
    const place = start !== undefined && end !== undefined ? { start, end } : {};
    return [{ url, title: title ?? '', ...place }];
  });
}

/** A picture that the model made. */
export function decodeImage(url: string): MediaPart {
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  if (mediaType && data) return { type: 'media', kind: 'image', source: { type: 'base64', data }, mediaType };
  return { type: 'media', kind: 'image', source: { type: 'url', url } };
}
