import type { RealtimeContent, RealtimeItemObject } from '@model-gateway/formats';
import { type ConversationItem, requestOf } from '@model-gateway/formats/realtime';
import { badRequest } from '../common/openai-error.ts';
import type { Prompt } from '../responder/prompt.ts';
import { promptOf } from '../responder/read-prompt.ts';
import type { SentItem, SessionSettings } from './request.ts';

/** The length of audio, and the words in it, even if no transcript was requested. */
export interface Heard {
  ms: number;
  words: string;
}

/** An item, with what is in the audio of each of its parts. Events do not contain that. */
export interface Item extends ConversationItem {
  heard?: (Heard | undefined)[];
}

const maxItems = 1_000;
const msPerToken = 100;
/** 16 bits a sample at 24 kHz. */
export const bytesPerMs = 48;

export function audioTokens(ms: number): number {
  return Math.ceil(ms / msPerToken);
}

/** The items of a session, in order. Above 1000 items, the oldest are dropped. */
export class Conversation {
  #items: Item[] = [];

  get items(): readonly Item[] {
    return this.#items;
  }

  get last(): Item | undefined {
    return this.#items.at(-1);
  }

  /** Adds an item. Returns the id of the item before it. @throws ApiError */
  add(item: Item): string | null {
    if (this.has(item.object.id))
      throw badRequest(`Item already exists: '${item.object.id}'.`, 'item_id_already_exists', 'item.id');
    const before = this.last?.object.id ?? null;
    this.#items.push(item);
    if (this.#items.length > maxItems) this.#items.shift();
    return before;
  }

  /** @throws ApiError if there is no such item */
  find(id: string, action: 'retrieve' | 'delete'): Item {
    const item = this.#items.find(({ object }) => object.id === id);
    if (item) return item;
    throw badRequest(`The item with id '${id}' does not exist.`, `item_${action}_invalid_item_id`, 'item_id');
  }

  has(id: string): boolean {
    return this.#items.some(({ object }) => object.id === id);
  }

  hasCall(id: string): boolean {
    return this.#items.some(({ object }) => object.type === 'function_call' && object.call_id === id);
  }

  remove(item: Item): void {
    this.#items = this.#items.filter(one => one !== item);
  }
}

/** The item that a client sent. `heardIn` returns what is in audio. */
export function itemOf(sent: SentItem, id: string, heardIn: (bytes: number) => Heard): Item {
  const head = { id: sent.id ?? id, object: 'realtime.item', status: 'completed' } as const;
  const { object: _object, status: _status, ...fields } = sent;
  if (fields.type === 'function_call')
    return { object: { ...fields, ...head, call_id: fields.call_id ?? `call_${id}` } };
  if (fields.type === 'function_call_output') return { object: { ...fields, ...head } };
  const heard = fields.content.map(part =>
    part.type === 'input_audio' ? heardIn(Buffer.byteLength(part.audio, 'base64')) : undefined,
  );
  const content = fields.content.map((part): RealtimeContent => {
    if (part.type === 'input_image') return { type: part.type, image_url: part.image_url };
    return part.type === 'input_audio' ? { type: part.type, transcript: part.transcript ?? null } : part;
  });
  return { object: { ...fields, ...head, content }, heard };
}

/** The prompt of a response. */
export interface RealtimePrompt {
  prompt: Prompt;
  /** Tokens of the audio in it, which `prompt` does not count. */
  audioTokens: number;
}

export function promptFor(
  model: string,
  items: readonly Item[],
  { tools, tool_choice: choice, ...settings }: SessionSettings,
): RealtimePrompt {
  const told = {
    ...settings,
    tools: tools.filter(({ type }) => type === 'function'),
    tool_choice: typeof choice === 'object' && choice.type === 'mcp' ? ('auto' as const) : choice,
  } as Parameters<typeof requestOf>[1];
  const request = (transcript: (heard: Heard) => string) =>
    requestOf(
      items.map(item => ({ ...item, object: transcribed(item, transcript) })),
      told,
    );
  // Audio is counted by its length, not by its words.
  const { context } = promptOf(
    model,
    request(({ ms }) => `[${ms} ms]`),
  );
  const heard = items.flatMap(item => item.heard ?? []);
  return {
    prompt: {
      ...promptOf(
        model,
        request(({ words }) => words),
      ),
      context,
    },
    audioTokens: heard.reduce((sum, one) => sum + (one ? audioTokens(one.ms) : 0), 0),
  };
}

/** Returns an item with a transcript of each part that has audio. */
function transcribed({ object, heard = [] }: Item, transcript: (heard: Heard) => string): RealtimeItemObject {
  if (object.type !== 'message') return object;
  const content = object.content.map((part, at) => {
    const audio = heard[at];
    return part.type === 'input_audio' && audio ? { ...part, transcript: transcript(audio) } : part;
  });
  return { ...object, content };
}
