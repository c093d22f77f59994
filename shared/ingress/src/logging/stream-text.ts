import { isJsonObject } from '@model-gateway/json';
import { EventReader, EventSplitter, type SseEvent, sseEvent } from '@model-gateway/sse';
import { type Capture, markOfData, type TakeRoom } from './excerpt.ts';

/** The fields of every format in which a stream sends a text piece by piece. */
const textFields: ReadonlySet<string> = new Set([
  'content',
  'reasoning',
  'reasoning_content',
  'refusal',
  'text',
  'thinking',
  'transcript',
  'delta',
  'arguments',
  'summary',
  'partial_json',
]);
/** Fields that differ in each event and say nothing about the answer. */
const ignoredFields: ReadonlySet<string> = new Set(['obfuscation', 'logprobs', 'logprobsResult']);
/** Numbers that tell apart what an event is about. Others, such as counts of tokens, are those of the last event. */
const isIndex = /index$/i;

/** A text within an event, of which events of the same shape have further pieces. */
interface Leaf {
  holder: Record<string, unknown>;
  field: string;
}

/** Events of one shape, joined to one. */
interface Joined {
  name: string | undefined;
  /** The last of them. */
  event: unknown;
  leaves: Leaf[];
  texts: string[];
}

/**
 * Keeps the beginning of a stream. Events that differ only in a piece of text are joined to one event with the whole text: in
 * pieces, nothing could be found in it.
 */
export class StreamText implements Capture {
  readonly isJson = true;
  readonly #most: number;
  readonly #take: TakeRoom;
  readonly #splitter = new EventSplitter();
  readonly #reader = new EventReader();
  readonly #joined = new Map<string, Joined>();
  #kept = 0;
  #cut = false;

  constructor(most: number, take: TakeRoom) {
    this.#most = most;
    this.#take = take;
  }

  add(bytes: Buffer): void {
    if (this.#cut) return;
    try {
      for (const event of this.#reader.read(this.#splitter.push(bytes))) this.#add(event);
    } catch {
      // An event is larger than any that is read.
      this.#cut = true;
    }
  }

  end(): { text: string; cut: boolean } {
    const events = [...this.#joined.values()].map(({ name, event, leaves, texts }) => {
      for (const [at, { holder, field }] of leaves.entries()) holder[field] = texts[at];
      return sseEvent(typeof event === 'string' ? event : JSON.stringify(event), name);
    });
    return { text: events.join(''), cut: this.#cut || this.#splitter.unfinished };
  }

  #add({ event: name, data }: SseEvent): void {
    const event = parse(data);
    const leaves: Leaf[] = [];
    const shape = JSON.stringify([name, typeof event === 'string' ? event : shapeOf(event, leaves)]);
    const texts = leaves.map(({ holder, field }) => {
      const text = holder[field] as string;
      return markOfData(text, text.length) ?? text;
    });
    const known = this.#joined.get(shape);
    const room = this.#most - this.#kept - (known ? 0 : shape.length);
    const size = texts.reduce((sum, text) => sum + text.length, 0);
    if (room <= 0 || size > room) this.#cut = true;
    const used = Math.min(size, room) + (known ? 0 : shape.length);
    if (room <= 0 || !this.#take(used)) return;
    this.#kept += used;
    const kept = this.#cut ? texts.map(text => text.slice(0, room)) : texts;
    if (!known) this.#joined.set(shape, { name, event, leaves, texts: kept });
    else {
      known.event = event;
      known.leaves = leaves;
      known.texts = known.texts.map((text, at) => text + kept[at]);
    }
  }
}

function parse(data: string): unknown {
  try {
    const event: unknown = JSON.parse(data);
    return isJsonObject(event) ? event : data;
  } catch {
    return data;
  }
}

/** Copies an event without its texts and changing numbers, and collects the places of its texts. */
function shapeOf(value: unknown, leaves: Leaf[]): unknown {
  if (Array.isArray(value)) return value.map(item => shapeOf(item, leaves));
  if (!isJsonObject(value)) return value;
  const shape: Record<string, unknown> = {};
  for (const [field, member] of Object.entries(value)) {
    if (ignoredFields.has(field)) delete value[field];
    else if (typeof member === 'string' && isText(field, member)) {
      leaves.push({ holder: value, field });
      shape[field] = '';
    } else if (typeof member === 'number' && !isIndex.test(field)) shape[field] = 0;
    else shape[field] = shapeOf(member, leaves);
  }
  return shape;
}

function isText(field: string, member: string): boolean {
  return textFields.has(field) || markOfData(member, member.length) !== undefined;
}
