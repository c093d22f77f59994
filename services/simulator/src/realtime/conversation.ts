import { wrong } from '../openai-complaint.ts';
import type { GivenItem } from './request.ts';

/** A part of a message. What begins with `heard` is the simulator's own and is not shown. */
export interface Part {
  type: 'input_text' | 'input_audio' | 'input_image' | 'output_text' | 'output_audio';
  text?: string;
  transcript?: string | null;
  image_url?: string;
  /** As it came or went. */
  audio?: Buffer;
  /** How long it sounds. */
  audioMs?: number;
  /** What was said, whether or not it is transcribed. */
  heard?: string;
}

/** What a conversation consists of. */
export interface Item {
  id: string;
  type: 'message' | 'function_call' | 'function_call_output';
  status: 'completed' | 'incomplete' | 'in_progress';
  role?: 'user' | 'assistant' | 'system';
  content?: Part[];
  name?: string;
  call_id?: string;
  arguments?: string;
  output?: string;
}

/** The oldest items go when there are more, and the audio of older ones when it is more. */
const mostItems = 1_000;
const mostAudioBytes = 16 * 1024 * 1024;

/** The items of a session, in order. */
export class Conversation {
  #items: Item[] = [];

  get items(): readonly Item[] {
    return this.#items;
  }

  get last(): Item | undefined {
    return this.#items.at(-1);
  }

  /**
   * Puts an item after another, at the start for `root`, else at the end, and gives the id of the one before it.
   * @throws Refusal
   */
  add(item: Item, after?: string | null): string | null {
    if (this.#items.some(({ id }) => id === item.id))
      throw wrong(`Item with item_id already exists: '${item.id}'.`, 'item_id_already_exists', 'item.id');
    const at = this.#placeAfter(after);
    this.#items.splice(at, 0, item);
    const before = this.#items[at - 1]?.id ?? null;
    if (this.#items.length > mostItems) this.#items.shift();
    this.#forgetAudio();
    return before;
  }

  /** @throws Refusal; `deed` is what the client wants of it */
  find(id: string, deed: 'retrieve' | 'truncate' | 'delete' | 'reference'): Item {
    const item = this.#items.find(one => one.id === id);
    if (item) return item;
    throw wrong(
      `Error with item ${deed}: the item with id '${id}' does not exist.`,
      `item_${deed}_invalid_item_id`,
      'item_id',
    );
  }

  before(item: Item): string | null {
    return this.#items[this.#items.indexOf(item) - 1]?.id ?? null;
  }

  remove(item: Item): void {
    this.#items = this.#items.filter(one => one !== item);
  }

  #placeAfter(after: string | null | undefined): number {
    if (after === 'root') return 0;
    if (!after) return this.#items.length;
    const at = this.#items.findIndex(({ id }) => id === after);
    if (at < 0)
      throw wrong(`Previous item with id '${after}' not found.`, 'invalid_value', 'previous_item_id');
    return at + 1;
  }

  #forgetAudio(): void {
    let bytes = 0;
    for (const { content } of this.#items.toReversed())
      for (const part of content ?? []) {
        bytes += part.audio?.length ?? 0;
        if (bytes > mostAudioBytes) delete part.audio;
      }
  }
}

/** An item as events show it; its audio is shown only where it is asked for. */
export function shown({ content, ...item }: Item, withAudio = false) {
  return {
    object: 'realtime.item' as const,
    ...item,
    ...(content && {
      content: content.map(({ audio, audioMs: _ms, heard: _heard, ...part }) =>
        withAudio && audio ? { ...part, audio: audio.toString('base64') } : part,
      ),
    }),
  };
}

/** An item that a client gave; `heard` says what is said in its audio. */
export function itemOf(given: GivenItem, id: string, heard: (audio: Buffer) => Partial<Part>): Item {
  const { object: _object, status: _status, ...rest } = given;
  const common = { ...rest, id: given.id ?? id, status: 'completed' as const };
  if (common.type !== 'message') {
    return common.type === 'function_call' ? { call_id: `call_${id}`, ...dropUnset(common) } : common;
  }
  const content = common.content.map((part): Part => {
    if (part.type === 'input_text' || part.type === 'output_text') return part;
    if (part.type === 'input_image') return { type: part.type, image_url: part.image_url };
    const { audio = '', transcript = null } = part;
    return { type: part.type, transcript, ...heard(Buffer.from(audio, 'base64')) };
  });
  return { ...common, content };
}

function dropUnset<T extends { call_id?: string | undefined }>({ call_id, ...rest }: T) {
  return call_id === undefined ? rest : { ...rest, call_id };
}
