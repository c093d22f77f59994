import type { Call } from '../responder/answer.ts';
import type { ClientSocket } from './client-socket.ts';
import { type Conversation, type Item, objectOf } from './conversation.ts';

export interface ItemWriterOptions {
  client: ClientSocket;
  conversation: Conversation;
  responseId: string;
  /** True for audio with a transcript, false for text. */
  spoken: boolean;
  newItemId(): string;
}

/** Writes the items of a response as events. An item ends when the next item begins or the response ends. */
export class ItemWriter {
  readonly #options: ItemWriterOptions;
  readonly output: Item[] = [];
  #previousId: string | null = null;
  #text = '';

  constructor(options: ItemWriterOptions) {
    this.#options = options;
  }

  get #open(): Item | undefined {
    return this.output.find(({ status }) => status === 'in_progress');
  }

  /** Writes a token of text, and its audio if the response is spoken. */
  write(token: string, audio: Buffer | null): void {
    if (this.#open?.type !== 'message') this.#begin({ type: 'message', role: 'assistant', content: [] });
    this.#text += token;
    this.writeDelta(token);
    if (audio) this.#event('output_audio.delta', { delta: audio.toString('base64') });
  }

  /** Writes a delta that is not part of the item. */
  writeDelta(delta: string): void {
    this.#event(`${this.#textEvent}.delta`, { delta });
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

  /** Ends the open item, if any. */
  end(status: 'completed' | 'incomplete'): void {
    const item = this.#open;
    if (!item) return;
    const { call_id, name, arguments: input } = item;
    if (item.type === 'message') this.#endPart(item);
    else this.#event('function_call_arguments.done', { call_id, name, arguments: input });
    item.status = status;
    this.#itemEvents('done', item);
  }

  #begin(fields: Omit<Item, 'id' | 'status'>): void {
    const { conversation, newItemId, spoken } = this.#options;
    const item: Item = { id: newItemId(), status: 'in_progress', ...fields };
    this.output.push(item);
    this.#previousId = conversation.add(item);
    this.#itemEvents('added', item);
    if (item.type !== 'message') return;
    this.#text = '';
    const part = spoken ? { type: 'audio', transcript: '' } : { type: 'text', text: '' };
    this.#event('content_part.added', { part });
  }

  #endPart(item: Item): void {
    const { spoken } = this.#options;
    const text = spoken ? { transcript: this.#text } : { text: this.#text };
    item.content = [{ type: spoken ? 'output_audio' : 'output_text', ...text }];
    if (spoken) this.#event('output_audio.done', {});
    this.#event(`${this.#textEvent}.done`, text);
    this.#event('content_part.done', { part: { type: spoken ? 'audio' : 'text', ...text } });
  }

  get #textEvent(): string {
    return this.#options.spoken ? 'output_audio_transcript' : 'output_text';
  }

  /** The events of the response and of the conversation. A client may have deleted the item from the conversation. */
  #itemEvents(name: 'added' | 'done', item: Item): void {
    const { client, conversation, responseId: response_id } = this.#options;
    const ofResponse = { response_id, output_index: this.output.length - 1, item: objectOf(item) };
    const ofConversation = { previous_item_id: this.#previousId, item: objectOf(item) };
    if (name === 'added') client.event('response.output_item.added', ofResponse);
    if (conversation.items.includes(item)) client.event(`conversation.item.${name}`, ofConversation);
    if (name === 'done') client.event('response.output_item.done', ofResponse);
  }

  #event(name: string, fields: object): void {
    const { client, responseId: response_id } = this.#options;
    const item = this.#open;
    const place = { response_id, item_id: item?.id, output_index: this.output.length - 1 };
    const index = item?.type === 'message' ? { content_index: 0 } : {};
    client.event(`response.${name}`, { ...place, ...index, ...fields });
  }
}
