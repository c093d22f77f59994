import type { Call } from '../mind/answer.ts';
import { type Conversation, type Item, type Part, shown } from './conversation.ts';
import type { Line } from './line.ts';

/** A part of an answer's audio. */
export interface Sound {
  audio: Buffer;
  ms: number;
}

export interface WriterOptions {
  line: Line;
  /** Null for a response that leaves no trace. */
  conversation: Conversation | null;
  responseId: string;
  spoken: boolean;
  newItemId(): string;
}

/** Writes a response's items as events, each opened with its first token and closed by what follows. */
export class Writer {
  readonly #options: WriterOptions;
  readonly output: Item[] = [];
  #before: string | null = null;
  #text = '';
  #audio: Buffer[] = [];
  #audioMs = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  get #open(): Item | undefined {
    return this.output.find(({ status }) => status === 'in_progress');
  }

  /** A token of words, with its sound where they are spoken; what is `passing` is said once and not kept. */
  say(token: string, sound: Sound | null, { passing = false } = {}): void {
    if (this.#open?.type !== 'message') this.#begin({ type: 'message', role: 'assistant', content: [] });
    if (!passing) this.#text += token;
    const { spoken } = this.#options;
    if (token)
      this.#tell(spoken ? 'output_audio_transcript.delta' : 'output_text.delta', { ...first, delta: token });
    if (!sound || sound.audio.length === 0) return;
    this.#audio.push(sound.audio);
    this.#audioMs += sound.ms;
    this.#tell('output_audio.delta', { ...first, delta: sound.audio.toString('base64') });
  }

  call({ id, name }: Call): void {
    this.end('completed');
    this.#begin({ type: 'function_call', name, call_id: `call_${id}`, arguments: '' });
  }

  argue(delta: string): void {
    const item = this.#open;
    if (item?.type !== 'function_call') return;
    item.arguments += delta;
    this.#tell('function_call_arguments.delta', { call_id: item.call_id, delta });
  }

  /** Closes the item that is open, if any. */
  end(status: 'completed' | 'incomplete'): void {
    const item = this.#open;
    if (!item) return;
    if (item.type === 'message') this.#endPart(item);
    else {
      const { call_id, name, arguments: said } = item;
      this.#tell('function_call_arguments.done', { call_id, name, arguments: said });
    }
    const place = this.#place;
    item.status = status;
    const { line, conversation, responseId } = this.#options;
    const known = conversation?.items.includes(item);
    if (known) line.event('conversation.item.done', { previous_item_id: this.#before, item: shown(item) });
    line.event('response.output_item.done', { response_id: responseId, ...place, item: shown(item) });
  }

  #begin(fields: Omit<Item, 'id' | 'status'>): void {
    const { line, conversation, responseId, newItemId, spoken } = this.#options;
    const item: Item = { id: newItemId(), status: 'in_progress', ...fields };
    this.output.push(item);
    line.event('response.output_item.added', { response_id: responseId, ...this.#place, item: shown(item) });
    if (conversation) {
      this.#before = conversation.add(item);
      line.event('conversation.item.added', { previous_item_id: this.#before, item: shown(item) });
    }
    if (item.type !== 'message') return;
    this.#text = '';
    const part = spoken ? { type: 'audio', transcript: '' } : { type: 'text', text: '' };
    this.#tell('content_part.added', { ...first, part });
  }

  #endPart(item: Item): void {
    const { spoken } = this.#options;
    const text = this.#text;
    if (spoken) {
      this.#tell('output_audio.done', first);
      this.#tell('output_audio_transcript.done', { ...first, transcript: text });
    } else this.#tell('output_text.done', { ...first, text });
    const part = spoken ? { type: 'audio', transcript: text } : { type: 'text', text };
    this.#tell('content_part.done', { ...first, part });
    const audio = { audio: Buffer.concat(this.#audio), audioMs: this.#audioMs };
    const kept: Part = spoken
      ? { type: 'output_audio', transcript: text, ...audio }
      : { type: 'output_text', text };
    item.content = [kept];
  }

  get #place() {
    return { output_index: this.output.length - 1 };
  }

  #tell(what: string, fields: object): void {
    const { line, responseId } = this.#options;
    const item_id = this.#open?.id;
    line.event(`response.${what}`, { response_id: responseId, item_id, ...this.#place, ...fields });
  }
}

const first = { content_index: 0 };
