import type { Call } from '../responder/answer.ts';
import type { ClientSocket } from './client-socket.ts';
import { bytesPerMs, type Conversation, type Item, type Part, shown } from './conversation.ts';

export interface ItemWriterOptions {
  client: ClientSocket;
  /** Null for a response outside of the conversation. */
  conversation: Conversation | null;
  responseId: string;
  spoken: boolean;
  newItemId(): string;
}

const first = { content_index: 0 };

/** Writes the items of a response as events. An item is opened by its first token and closed by the next item or the end. */
export class ItemWriter {
  readonly #options: ItemWriterOptions;
  readonly output: Item[] = [];
  #before: string | null = null;
  #text = '';
  #audioMs = 0;

  constructor(options: ItemWriterOptions) {
    this.#options = options;
  }

  get #open(): Item | undefined {
    return this.output.find(({ status }) => status === 'in_progress');
  }

  /** Writes a token of text, with its audio if the response is spoken. */
  say(token: string, audio: Buffer | null): void {
    if (this.#open?.type !== 'message') this.#begin({ type: 'message', role: 'assistant', content: [] });
    this.#text += token;
    this.writeText(token);
    if (!audio) return;
    this.#audioMs += audio.length / bytesPerMs;
    this.#event('output_audio.delta', { ...first, delta: audio.toString('base64') });
  }

  /** Writes text that is not kept in the item. */
  writeText(delta: string): void {
    this.#event(this.#options.spoken ? 'output_audio_transcript.delta' : 'output_text.delta', {
      ...first,
      delta,
    });
  }

  call({ id, name }: Call): void {
    this.end('completed');
    this.#begin({ type: 'function_call', name, call_id: `call_${id}`, arguments: '' });
  }

  addArguments(delta: string): void {
    const item = this.#open;
    if (item?.type !== 'function_call') return;
    item.arguments += delta;
    this.#event('function_call_arguments.delta', { call_id: item.call_id, delta });
  }

  /** Closes the open item, if there is one. */
  end(status: 'completed' | 'incomplete'): void {
    const item = this.#open;
    if (!item) return;
    const { call_id, name, arguments: written } = item;
    if (item.type === 'message') this.#endPart(item);
    else this.#event('function_call_arguments.done', { call_id, name, arguments: written });
    item.status = status;
    const { client, conversation, responseId } = this.#options;
    if (conversation?.items.includes(item))
      client.event('conversation.item.done', { previous_item_id: this.#before, item: shown(item) });
    const place = { response_id: responseId, output_index: this.output.length - 1 };
    client.event('response.output_item.done', { ...place, item: shown(item) });
  }

  #begin(fields: Omit<Item, 'id' | 'status'>): void {
    const { client, conversation, responseId, newItemId, spoken } = this.#options;
    const item: Item = { id: newItemId(), status: 'in_progress', ...fields };
    this.output.push(item);
    const place = { response_id: responseId, output_index: this.output.length - 1 };
    client.event('response.output_item.added', { ...place, item: shown(item) });
    if (conversation) {
      this.#before = conversation.add(item);
      client.event('conversation.item.added', { previous_item_id: this.#before, item: shown(item) });
    }
    if (item.type !== 'message') return;
    this.#text = '';
    const part = spoken ? { type: 'audio', transcript: '' } : { type: 'text', text: '' };
    this.#event('content_part.added', { ...first, part });
  }

  #endPart(item: Item): void {
    const text = this.#text;
    const spoken: Part = { type: 'output_audio', transcript: text, audioMs: this.#audioMs };
    item.content = [this.#options.spoken ? spoken : { type: 'output_text', text }];
    if (this.#options.spoken) {
      this.#event('output_audio.done', first);
      this.#event('output_audio_transcript.done', { ...first, transcript: text });
      this.#event('content_part.done', { ...first, part: { type: 'audio', transcript: text } });
    } else {
      this.#event('output_text.done', { ...first, text });
      this.#event('content_part.done', { ...first, part: { type: 'text', text } });
    }
  }

  #event(name: string, fields: object): void {
    const { client, responseId: response_id } = this.#options;
    const place = { response_id, item_id: this.#open?.id, output_index: this.output.length - 1 };
    client.event(`response.${name}`, { ...place, ...fields });
  }
}
