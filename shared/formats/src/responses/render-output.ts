import type { Citation, Ending, MediaPart, PartStart, Signature } from '@model-gateway/canonical';
import { answerBounds, exceededBound } from '@model-gateway/json';
import { mediaMarkdown, PartQueue } from '../client/endpoint.ts';
import { writeSignature } from '../values/signatures.ts';
import type { ResponsesMessagePart, ResponsesOutputItem, ResponsesUrlCitation } from './answer.ts';
import { lateRefusal, renderIncomplete } from './finish.ts';
import type { ClientTool, ToolNames } from './parse-tools.ts';
import {
  callId,
  type Frame,
  Items,
  type OutputEnd,
  type OutputWriter,
  type PartEnd,
  type PartOver,
  type PartWriter,
} from './render-items.ts';

/** A part that is not yet completely written. */
interface Waiting {
  writer: PartWriter;
  /** True once its first event was written. */
  begun: boolean;
  /** Text that waits until the parts before it end. */
  unwritten: string;
  ended: boolean;
  end: PartEnd;
}

/**
 * Writes parts as output items. Parallel calls may interleave: text of a later part waits until the parts
 * before it end.
 */
export class Output implements OutputWriter {
  readonly #items: Items;
  readonly #names: ToolNames;
  readonly #waiting = new PartQueue<Waiting>();
  /** True if the response has the text of a refusal. */
  #refused = false;

  constructor({ requestId, names, frame }: { requestId: string; names: ToolNames; frame: Frame }) {
    this.#items = new Items(requestId, frame);
    this.#names = names;
  }

  get items(): ResponsesOutputItem[] {
    return this.#items.done;
  }

  start(index: number, part: PartStart): string {
    const writer = this.#writerOf(part, index);
    if (!writer) return '';
    if (part.type === 'refusal') this.#refused = true;
    this.#waiting.add(index, { writer, begun: false, unwritten: '', ended: false, end: {} });
    return this.#advance();
  }

  add(index: number, text: string): string {
    const waiting = this.#waiting.get(index);
    if (!waiting) return '';
    waiting.unwritten += text;
    return this.#advance();
  }

  end(event: PartOver): string {
    const waiting = this.#waiting.get(event.index);
    if (!waiting) return '';
    waiting.ended = true;
    waiting.end = event;
    return this.#advance();
  }

  finish(ending: Ending): OutputEnd {
    const refusal = lateRefusal(ending, this.#refused);
    const text = this.#endParts() + (refusal ? this.#refuse(refusal) : '');
    const incomplete = renderIncomplete(ending, this.#refused);
    return { text: text + this.#items.close(incomplete ? 'incomplete' : 'completed'), incomplete };
  }

  #refuse(text: string): string {
    this.#refused = true;
    const writer = new MessagePartWriter(this.#items, 'refusal');
    return writer.write(text) + writer.end({});
  }

  #endParts(): string {
    for (const waiting of this.#waiting.all()) waiting.ended = true;
    return this.#advance();
  }

  /** Writes the first part's text, and continues with the next part if the first has ended. */
  #advance(): string {
    let out = '';
    for (let part = this.#waiting.first; part; part = this.#waiting.first) {
      out += write(part);
      if (!part.ended) break;
      out += part.writer.end(part.end);
      this.#waiting.removeFirst();
    }
    return out;
  }

  /** Returns undefined for opaque parts of other formats, which clients cannot use. */
  #writerOf(part: PartStart, index: number): PartWriter | undefined {
    switch (part.type) {
      case 'text':
      case 'refusal':
        return new MessagePartWriter(this.#items, part.type);
      case 'reasoning':
        return new ReasoningWriter(this.#items, 'redacted' in part);
      case 'tool-call':
        return new CallWriter(this.#items, part, this.#names.find(part.name), index);
      case 'media':
        return new MediaWriter(this.#items, part);
      case 'opaque':
        return undefined;
    }
  }
}

function write(waiting: Waiting): string {
  const { writer, unwritten: text, begun } = waiting;
  waiting.begun = true;
  waiting.unwritten = '';
  const opening = begun ? '' : (writer.begin?.() ?? '');
  return text === '' ? opening : opening + writer.write(text);
}

/** Writes media: a base64 image is an item, other media are links in a message. */
class MediaWriter implements PartWriter {
  readonly #items: Items;
  readonly #part: MediaPart;

  constructor(items: Items, part: MediaPart) {
    this.#items = items;
    this.#part = part;
  }

  write(): string {
    return '';
  }

  end(): string {
    const { kind, source } = this.#part;
    if (kind === 'image' && source.type === 'base64') return this.#image(source.data);
    const text = new MessagePartWriter(this.#items, 'text');
    return text.write(mediaMarkdown(this.#part)) + text.end({});
  }

  #image(result: string): string {
    const type = 'image_generation_call' as const;
    return this.#items.open({ type, id: this.#items.nextId(type), status: 'completed', result });
  }
}

type Call = Extract<PartStart, { type: 'tool-call' }>;
type CallItem = Extract<ResponsesOutputItem, { call_id: string }>;

/** Writes a call of a client tool. */
class CallWriter implements PartWriter {
  readonly #items: Items;
  readonly #item: () => CallItem;
  #open: CallItem | undefined;
  #text = '';

  /** `index` is the index of the part. */
  constructor(items: Items, part: Call, tool: ClientTool, index: number) {
    this.#items = items;
    const call_id = part.id || callId(items.requestId, index);
    const item = () => emptyCall(items, { ...tool, call_id, custom: part.custom });
    this.#item = item;
  }

  begin(): string {
    this.#open = this.#item();
    return this.#items.open(this.#open);
  }

  write(text: string): string {
    this.#text += text;
    switch (this.#open?.type) {
      case 'function_call':
        return this.#items.delta('function_call_arguments.delta', text);
      case 'custom_tool_call':
        return this.#items.delta('custom_tool_call_input.delta', text);
      default:
        return '';
    }
  }

  end({ signature }: PartEnd): string {
    const item = this.#open;
    const events = item ? this.#endEvents(item) : '';
    return signature ? events + renderSignature(this.#items, signature) : events;
  }

  /** Renders the end of a call. Empty arguments become an empty object. */
  #endEvents(item: CallItem): string {
    switch (item.type) {
      case 'function_call': {
        const empty = this.#text === '' ? this.write('{}') : '';
        item.arguments = this.#text;
        const { name } = item;
        return empty + this.#items.event('function_call_arguments.done', { name, arguments: this.#text });
      }
      case 'custom_tool_call':
        item.input = this.#text;
        return this.#items.event('custom_tool_call_input.done', { input: this.#text });
      case 'tool_search_call':
        item.arguments = readArguments(this.#text);
        return '';
    }
  }
}

interface CallHead extends ClientTool {
  call_id: string;
  custom?: boolean | undefined;
}

function emptyCall(items: Items, { call_id, name, namespace, search, custom }: CallHead): CallItem {
  const status = 'in_progress' as const;
  if (search) {
    const type = 'tool_search_call' as const;
    return { type, id: items.nextId(type), call_id, execution: 'client', arguments: {}, status };
  }
  const type = custom ? 'custom_tool_call' : 'function_call';
  const head = { id: items.nextId(type), call_id, name, ...(namespace && { namespace }), status };
  return type === 'custom_tool_call' ? { type, ...head, input: '' } : { type, ...head, arguments: '' };
}

function readArguments(text: string): unknown {
  try {
    return exceededBound(text, answerBounds) ? { _raw: text } : JSON.parse(text || '{}');
  } catch {
    return { _raw: text };
  }
}

/**
 * Writes a text or refusal into the open message or a new one. An empty text is omitted: clients would send
 * it back.
 */
class MessagePartWriter implements PartWriter {
  readonly #items: Items;
  readonly #type: 'text' | 'refusal';
  #text = '';

  constructor(items: Items, type: 'text' | 'refusal') {
    this.#items = items;
    this.#type = type;
  }

  write(text: string): string {
    const opening = this.#text === '' ? this.#open() : '';
    this.#text += text;
    const place = `,"content_index":${this.#items.message?.content.length ?? 0}`;
    return (
      opening +
      (this.#type === 'text'
        ? this.#items.delta('output_text.delta', text, place, ',"logprobs":[]')
        : this.#items.delta('refusal.delta', text, place))
    );
  }

  end({ signature, citations = [] }: PartEnd): string {
    const events = this.#text === '' ? '' : this.#close(wholePart(this.#type, this.#text, citations));
    return signature ? events + renderSignature(this.#items, signature) : events;
  }

  #open(): string {
    const items = this.#items;
    const message = items.message ? '' : items.open(emptyMessage(items.nextId('message')));
    return message + this.#event('content_part.added', { part: wholePart(this.#type, '') });
  }

  #close(part: ResponsesMessagePart): string {
    const ended =
      part.type === 'output_text'
        ? this.#endText(part)
        : this.#event('refusal.done', { refusal: part.refusal });
    const done = this.#event('content_part.done', { part });
    this.#items.message?.content.push(part);
    return ended + done;
  }

  #endText({ text, annotations }: Extract<ResponsesMessagePart, { type: 'output_text' }>): string {
    const cited = annotations.map((annotation, annotation_index) =>
      this.#event('output_text.annotation.added', { annotation_index, annotation }),
    );
    return cited.join('') + this.#event('output_text.done', { text, logprobs: [] });
  }

  #event(name: string, fields: Record<string, unknown>): string {
    return this.#items.event(name, { content_index: this.#items.message?.content.length ?? 0, ...fields });
  }
}

function emptyMessage(id: string) {
  return {
    type: 'message' as const,
    id,
    role: 'assistant' as const,
    status: 'in_progress' as const,
    content: [],
  };
}

function wholePart(
  type: 'text' | 'refusal',
  text: string,
  citations: readonly Citation[] = [],
): ResponsesMessagePart {
  if (type === 'refusal') return { type, refusal: text };
  return { type: 'output_text', text, annotations: renderCitations(citations, text.length), logprobs: [] };
}

/** Renders citations. One without a range covers the whole text, which has `length` characters. */
function renderCitations(citations: readonly Citation[], length: number): ResponsesUrlCitation[] {
  return citations.map(({ url, title, start = 0, end = length }) => ({
    type: 'url_citation',
    url,
    title,
    start_index: start,
    end_index: end,
  }));
}

type ReasoningItem = Extract<ResponsesOutputItem, { type: 'reasoning' }>;

/**
 * Writes reasoning as a summary, which every client reads. Reasoning without text is written only if it is
 * signed.
 */
class ReasoningWriter implements PartWriter {
  readonly #items: Items;
  readonly #redacted: boolean;
  #item: ReasoningItem | undefined;
  #text = '';

  constructor(items: Items, redacted: boolean) {
    this.#items = items;
    this.#redacted = redacted;
  }

  write(text: string): string {
    const opening = this.#item ? '' : this.#open();
    this.#text += text;
    return opening + this.#items.delta('reasoning_summary_text.delta', text, ',"summary_index":0');
  }

  end({ signature }: PartEnd): string {
    if (!this.#item) return signature ? renderSignature(this.#items, signature, this.#redacted) : '';
    const text = this.#text;
    const part = { type: 'summary_text' as const, text };
    this.#item.summary.push(part);
    if (signature) this.#item.encrypted_content = writeSignature(signature, 'responses');
    return this.#event('text.done', { text }) + this.#event('part.done', { part });
  }

  #open(): string {
    const item: ReasoningItem = {
      type: 'reasoning',
      id: this.#items.nextId('reasoning'),
      summary: [],
      status: 'in_progress',
    };
    this.#item = item;
    const added = this.#items.open(item);
    return added + this.#event('part.added', { part: { type: 'summary_text', text: '' } });
  }

  #event(name: string, fields: Record<string, unknown>): string {
    return this.#items.event(`reasoning_summary_${name}`, { summary_index: 0, ...fields });
  }
}

/**
 * Writes a reasoning item without text that carries another vendor's signature, so that clients send it back.
 * It signs hidden reasoning, or the text or call right before it.
 */
export function renderSignature(items: Items, { format, value }: Signature, redacted = false): string {
  const prefixed = redacted ? `${redactedPrefix}${value}` : value;
  const encrypted_content = writeSignature({ format, value: prefixed }, 'responses');
  const item: ReasoningItem = {
    type: 'reasoning',
    id: items.nextId('reasoning'),
    summary: [],
    status: 'in_progress',
  };
  return items.open(item, { encrypted_content });
}

/**
 * Precedes the signature of redacted reasoning. It is unambiguous: signatures are base64, which has no colon.
 */
export const redactedPrefix = 'redacted:';
