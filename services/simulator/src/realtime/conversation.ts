import { badRequest } from '../openai-error.ts';
import { calledAs, efforts, functionTool, type Prompt, type ToolResult } from '../responder/prompt.ts';
import type { SentItem, SessionSettings } from './request.ts';

/** A part of a message. Events do not contain `audioMs` and `words`. */
export interface Part {
  type: 'input_text' | 'input_audio' | 'input_image' | 'output_text' | 'output_audio';
  text?: string;
  transcript?: string | null;
  image_url?: string;
  /** The length of its audio. */
  audioMs?: number;
  /** The words in its audio, even if no transcript was requested. */
  words?: string;
}

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
    if (this.#items.some(({ id }) => id === item.id))
      throw badRequest(`Item already exists: '${item.id}'.`, 'item_id_already_exists', 'item.id');
    const before = this.last?.id ?? null;
    this.#items.push(item);
    if (this.#items.length > maxItems) this.#items.shift();
    return before;
  }

  /** @throws ApiError if there is no such item */
  find(id: string, action: 'retrieve' | 'delete'): Item {
    const item = this.#items.find(one => one.id === id);
    if (item) return item;
    throw badRequest(`The item with id '${id}' does not exist.`, `item_${action}_invalid_item_id`, 'item_id');
  }

  callOf(id: string | undefined): Item | undefined {
    return this.#items.find(({ type, call_id }) => type === 'function_call' && call_id === id);
  }

  remove(item: Item): void {
    this.#items = this.#items.filter(one => one !== item);
  }
}

/** An item as in events. */
export function objectOf({ content, ...item }: Item) {
  const parts = content?.map(({ audioMs: _ms, words: _words, ...part }) => part);
  return { object: 'realtime.item' as const, ...item, ...(parts && { content: parts }) };
}

/** The item that a client sent. `heardIn` returns the words in audio. */
export function itemOf(sent: SentItem, id: string, heardIn: (bytes: number) => Partial<Part>): Item {
  const { object: _object, status: _status, ...fields } = sent;
  const common = { ...fields, id: sent.id ?? id, status: 'completed' as const };
  if (common.type === 'function_call') return { ...common, call_id: common.call_id ?? `call_${id}` };
  if (common.type === 'function_call_output') return common;
  const content = common.content.map((part): Part => {
    if (part.type === 'input_image') return { type: part.type, image_url: part.image_url };
    if (part.type !== 'input_audio') return part;
    const { type, audio, transcript = null } = part;
    return { type, transcript, ...heardIn(Buffer.byteLength(audio, 'base64')) };
  });
  return { ...common, content };
}

/** The prompt of a response. */
export interface RealtimePrompt {
  prompt: Prompt;
  /** Tokens of the audio in it, which `prompt` does not count. */
  audioTokens: number;
}

export function promptOf(
  model: string,
  conversation: Conversation,
  { instructions, tools, tool_choice: choice, max_output_tokens: limit, ...settings }: SessionSettings,
): RealtimePrompt {
  const { items } = conversation;
  const system = items.filter(({ role }) => role === 'system').map(textOf);
  const question = items.findLast(({ role }) => role === 'user');
  const parts = items.flatMap(({ content }) => content ?? []);
  const audio = parts.filter(({ type }) => type === 'input_audio');
  const prompt: Prompt = {
    model,
    instructions: [instructions, ...system].join('\n'),
    question: question ? textOf(question) : '',
    results: resultsOf(conversation),
    tools: tools.flatMap(tool =>
      tool.type === 'function'
        ? [functionTool(String(tool.name), String(tool.description ?? ''), tool.parameters)]
        : [],
    ),
    toolChoice:
      typeof choice === 'string' ? choice : choice.type === 'mcp' ? 'auto' : { name: String(choice.name) },
    parallel: settings.parallel_tool_calls,
    output: { kind: 'text' },
    maxTokens: limit === 'inf' ? null : limit,
    stop: [],
    choices: 1,
    effort: efforts.find(effort => effort === settings.reasoning?.effort) ?? null,
    context: [tools.length > 0 ? JSON.stringify(tools) : '', instructions, ...items.map(lineOf)].join('\n'),
    media: { images: parts.filter(({ type }) => type === 'input_image').length, audio: 0, files: 0 },
    cachePoints: null,
  };
  return { prompt, audioTokens: audio.reduce((sum, { audioMs = 0 }) => sum + audioTokens(audioMs), 0) };
}

function textOf({ content = [] }: Item): string {
  const texts = content.map(({ text, words, transcript }) => text ?? words ?? transcript);
  return texts.filter(Boolean).join('\n');
}

/** The line of the context for an item. Audio is counted by its length, not by its words. */
function lineOf(item: Item): string {
  if (item.type === 'function_call') return `call: ${item.name}(${item.arguments})`;
  if (item.type === 'function_call_output') return `result: ${item.output}`;
  const written = (part: Part) =>
    part.type === 'input_audio' ? `[${part.audioMs} ms]` : (part.text ?? part.transcript ?? '');
  return `${item.role}: ${(item.content ?? []).map(written).join('\n')}`;
}

/** The results at the end of the conversation, each with its call. */
function resultsOf(conversation: Conversation): ToolResult[] {
  const { items } = conversation;
  const before = items.findLastIndex(({ type }) => type !== 'function_call_output');
  return items.slice(before + 1).map(({ call_id: id, output: text = '' }) => {
    const call = conversation.callOf(id);
    return { call: calledAs(call?.name, call?.arguments), text };
  });
}
