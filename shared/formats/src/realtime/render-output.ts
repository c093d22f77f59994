import type { RealtimeEvent, RealtimeItemObject, RealtimePart } from './events.ts';
import type { ConversationItem as Item } from './parse-items.ts';

/** Receiver of a response's output. */
export interface OutputSink {
  emit(event: RealtimeEvent): void;
  newId(): string;
  /** Adds an item and returns the id of the item before it; absent outside of the conversation. */
  add?(item: Item): string | null;
  /** Called when an item is complete. */
  finished(item: Item): void;
  /** Speaks a message, and sends the audio as base64; absent if the output is text. */
  speak?(item: Item, send: (delta: string) => void): Speech;
}

/** The speech of one message. */
export interface Speech {
  add(text: string): void;
  /** Called when the text is complete. */
  end(): void;
}

type Message = Extract<RealtimeItemObject, { type: 'message' }>;
type Call = Extract<RealtimeItemObject, { type: 'function_call' }>;

/** An item of a model's output. */
abstract class OutputItem<T extends Message | Call> {
  readonly item: Item & { object: T };
  protected readonly sink: OutputSink;
  protected readonly at: { response_id: string; output_index: number; item_id: string };
  #previous: string | null | undefined;
  #closed = false;

  constructor(sink: OutputSink, responseId: string, index: number, object: T) {
    this.sink = sink;
    this.item = { object };
    this.at = { response_id: responseId, output_index: index, item_id: object.id };
  }

  get closed(): boolean {
    return this.#closed;
  }

  protected open(): void {
    const { sink, item } = this;
    const { response_id, output_index } = this.at;
    this.#previous = sink.add?.(item);
    sink.emit({ type: 'response.output_item.added', response_id, output_index, item: copyOf(item) });
    if (this.#previous !== undefined)
      sink.emit({ type: 'conversation.item.added', previous_item_id: this.#previous, item: copyOf(item) });
  }

  protected shut(status: 'completed' | 'incomplete'): void {
    const { sink, item } = this;
    const { response_id, output_index } = this.at;
    this.#closed = true;
    item.object.status = status;
    sink.finished(item);
    if (this.#previous !== undefined)
      sink.emit({ type: 'conversation.item.done', previous_item_id: this.#previous, item: copyOf(item) });
    sink.emit({ type: 'response.output_item.done', response_id, output_index, item: copyOf(item) });
  }

  /** Completes the item and emits its last events. */
  abstract close(status: 'completed' | 'incomplete'): void;
}

/** A model's message, as text or speech. */
export class OutputMessage extends OutputItem<Message> {
  readonly #speech: Speech | undefined;
  #text = '';
  #written = false;

  constructor(sink: OutputSink, responseId: string, index: number) {
    const head = { id: sink.newId(), object: 'realtime.item', status: 'in_progress' } as const;
    super(sink, responseId, index, { ...head, type: 'message', role: 'assistant', content: [] });
    this.#speech = sink.speak?.(this.item, delta =>
      sink.emit({ type: 'response.output_audio.delta', ...this.#place, delta }),
    );
    this.open();
    sink.emit({ type: 'response.content_part.added', ...this.#place, part: this.#part });
  }

  add(delta: string): void {
    const { sink } = this;
    if (delta === '') return;
    this.#text += delta;
    const type = this.#speech ? 'response.output_audio_transcript.delta' : 'response.output_text.delta';
    sink.emit({ type, ...this.#place, delta });
    this.#speech?.add(delta);
  }

  /** Speaks the rest: the text is complete. */
  written(): void {
    if (!this.#written) this.#speech?.end();
    this.#written = true;
  }

  close(status: 'completed' | 'incomplete'): void {
    if (this.closed) return;
    const { sink, item } = this;
    const text = this.#text;
    const cut = item.heardMs !== undefined;
    if (this.#speech) {
      item.object.content = [{ type: 'output_audio', ...(!cut && { transcript: text }) }];
      sink.emit({ type: 'response.output_audio.done', ...this.#place });
      sink.emit({ type: 'response.output_audio_transcript.done', ...this.#place, transcript: text });
    } else {
      item.object.content = [{ type: 'output_text', text }];
      sink.emit({ type: 'response.output_text.done', ...this.#place, text });
    }
    sink.emit({ type: 'response.content_part.done', ...this.#place, part: this.#part });
    this.shut(status);
  }

  get #place() {
    return { ...this.at, content_index: 0 };
  }

  get #part(): RealtimePart {
    const text = this.#text;
    return this.#speech ? { type: 'audio', transcript: text } : { type: 'text', text };
  }

  get spoken(): boolean {
    return this.#speech !== undefined;
  }
}

/** A model's function call. */
export class OutputCall extends OutputItem<Call> {
  constructor(sink: OutputSink, responseId: string, index: number, call: { id: string; name: string }) {
    const head = { id: sink.newId(), object: 'realtime.item', status: 'in_progress' } as const;
    const { id: call_id, name } = call;
    super(sink, responseId, index, { ...head, type: 'function_call', call_id, name, arguments: '' });
    this.open();
  }

  add(delta: string): void {
    if (delta === '') return;
    const { call_id } = this.item.object;
    this.item.object.arguments += delta;
    this.sink.emit({ type: 'response.function_call_arguments.delta', ...this.at, call_id, delta });
  }

  close(status: 'completed' | 'incomplete'): void {
    if (this.closed) return;
    const { object } = this.item;
    // Some models send no arguments for a function without parameters; clients require JSON.
    if (status === 'completed' && object.arguments.trim() === '') object.arguments = '{}';
    const { call_id, name, arguments: text } = object;
    if (status === 'completed')
      this.sink.emit({
        type: 'response.function_call_arguments.done',
        ...this.at,
        call_id,
        name,
        arguments: text,
      });
    this.shut(status);
  }
}

/** Copies an item for an event, since the item itself changes later; not its texts. */
export function copyOf({ object }: Item): RealtimeItemObject {
  if (object.type !== 'message') return { ...object };
  return { ...object, content: object.content.map(part => ({ ...part })) };
}
