import type { Ending, MediaPart, PartStart } from '@model-gateway/canonical';
import { mediaMarkdown, PartQueue } from '../client/answer-parts.ts';
import type { ResponsesOutputItem } from './answer.ts';
import { lateRefusal, renderIncomplete } from './finish.ts';
import { CallWriter } from './render-call.ts';
import { Items } from './render-items.ts';
import { MessagePartWriter } from './render-message.ts';
import { ReasoningWriter } from './render-reasoning.ts';
import type { ToolNames } from './tool-names.ts';
import type { Frame, OutputEnd, OutputWriter, PartEnd, PartOver, PartWriter } from './writer.ts';

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
