import type { Ending, MediaPart, PartStart } from '@model-gateway/canonical';
import type { ResponsesItemStatus, ResponsesOutputItem } from '@model-gateway/wire';
import { itemId } from './ids.ts';
import { CallWriter } from './render-call.ts';
import { lateRefusal, renderIncomplete } from './render-failure.ts';
import { MessagePartWriter } from './render-message.ts';
import { ReasoningWriter } from './render-reasoning.ts';
import type { ToolNames } from './tool-names.ts';
import type { Frame, OutputEnd, OutputWriter, PartEnd, PartOver, PartWriter } from './writer.ts';

/** A part that is not yet wholly written. */
interface Waiting {
  writer: PartWriter;
  /** It is the first, and was shown. */
  begun: boolean;
  /** Text that came before its turn. */
  unwritten: string;
  ended: boolean;
  end: PartEnd;
}

/**
 * Writes parts as the items of an output. What comes for a later part, as parallel calls interleave, waits until those before
 * it end.
 */
export class Output implements OutputWriter {
  readonly #items: Items;
  readonly #names: ToolNames;
  readonly #waiting = new Map<number, Waiting>();
  /** The model said why it gives no answer. */
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
    this.#waiting.set(index, { writer, begun: false, unwritten: '', ended: false, end: {} });
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
    for (const waiting of this.#waiting.values()) waiting.ended = true;
    return this.#advance();
  }

  /** Writes what the first part has, and goes on to the next if it is over. */
  #advance(): string {
    let out = '';
    for (const [index, waiting] of this.#waiting) {
      out += write(waiting);
      if (!waiting.ended) break;
      out += waiting.writer.end(waiting.end);
      this.#waiting.delete(index);
    }
    return out;
  }

  /** Undefined for what only another format has: the client can do nothing with it. */
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

type Item = ResponsesOutputItem;

/**
 * The items of one output, one open at a time. The end of each waits for the next one, or for the answer's: only then is it
 * known whether it was cut off.
 */
export class Items {
  /** Those that are over. */
  readonly done: Item[] = [];
  readonly requestId: string;
  readonly #frame: Frame;
  #open: Item | undefined;

  constructor(requestId: string, frame: Frame) {
    this.requestId = requestId;
    this.#frame = frame;
  }

  /** The message that is open, if the last item is one. */
  get message(): Extract<Item, { type: 'message' }> | undefined {
    return this.#open?.type === 'message' ? this.#open : undefined;
  }

  /** Ends the item before, and shows the new one as it begins, without what of it is given in `later`. */
  open<T extends Item>(item: T, later: Partial<T> = {}): string {
    const before = this.close('completed');
    this.#open = Object.assign(item, later);
    const begun = { ...item };
    for (const field of Object.keys(later)) delete (begun as Record<string, unknown>)[field];
    const output_index = this.done.length;
    return before + this.#frame('response.output_item.added', { output_index, item: begun });
  }

  /** Ends the open item. */
  close(status: ResponsesItemStatus): string {
    const item = this.#open;
    if (!item) return '';
    this.#open = undefined;
    const output_index = this.done.length;
    const ended = 'status' in item && item.type !== 'image_generation_call' ? { ...item, status } : item;
    this.done.push(ended);
    return this.#frame('response.output_item.done', { output_index, item: ended });
  }

  /** An event about the open item. */
  event(name: string, fields: Record<string, unknown>): string {
    const place = { item_id: this.#open?.id, output_index: this.done.length };
    return this.#frame(`response.${name}`, { ...place, ...fields });
  }

  /** An id for the item that is opened next. */
  nextId(type: Item['type']): string {
    return itemId(type, this.requestId, this.done.length + (this.#open ? 1 : 0));
  }
}

/** Writes what the model made: a picture is an item of its own; for other media a link is what clients can show. */
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
    if (kind === 'image' && source.type === 'base64') return this.#picture(source.data);
    const text = new MessagePartWriter(this.#items, 'text');
    return text.write(mediaText(this.#part)) + text.end({});
  }

  #picture(result: string): string {
    const type = 'image_generation_call' as const;
    return this.#items.open({ type, id: this.#items.nextId(type), status: 'completed', result });
  }
}

function mediaText({ kind, source, mediaType, name }: MediaPart): string {
  switch (source.type) {
    case 'text':
      return source.text;
    case 'file':
      return `[${name ?? kind}: ${source.id}]`;
    case 'url':
    case 'base64': {
      const url = source.type === 'url' ? source.url : `data:${mediaType ?? ''};base64,${source.data}`;
      return `${kind === 'image' ? '!' : ''}[${name ?? kind}](${url})`;
    }
  }
}
