import type { RealtimeEvent, RealtimeItemObject } from '@model-gateway/formats';
import type { Item } from './item.ts';
import type { Speaker } from './speaker.ts';

/** Receiver of a response's output. */
export interface OutputSink {
  emit(event: RealtimeEvent): void;
  newId(): string;
  /** Adds an item and returns the id of the item before it; absent outside of the conversation. */
  add?(item: Item): string | null;
  /** Called when an item is complete. */
  finished(item: Item): void;
  /** Speaks the text; absent if the output is text. */
  speaker?: Speaker;
  /** Returns an encoder of one text's audio, cut anywhere, to base64 in the client's format. */
  voice?(): (audio: Buffer) => { delta: string; ms: number };
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
  readonly #sentences = new Sentences();
  #text = '';
  #written = false;

  constructor(sink: OutputSink, responseId: string, index: number) {
    const head = { id: sink.newId(), object: 'realtime.item', status: 'in_progress' } as const;
    super(sink, responseId, index, { ...head, type: 'message', role: 'assistant', content: [] });
    if (sink.speaker) this.item.spoken = [];
    this.open();
    const part = sink.speaker
      ? ({ type: 'audio', transcript: '' } as const)
      : ({ type: 'text', text: '' } as const);
    sink.emit({ type: 'response.content_part.added', ...this.#place, part });
  }

  add(delta: string): void {
    const { sink } = this;
    if (delta === '') return;
    this.#text += delta;
    const type = sink.speaker ? 'response.output_audio_transcript.delta' : 'response.output_text.delta';
    sink.emit({ type, ...this.#place, delta });
    if (sink.speaker) for (const sentence of this.#sentences.add(delta)) this.#speak(sentence);
  }

  /** Speaks the rest: the text is complete. */
  written(): void {
    if (this.sink.speaker && !this.#written) this.#speak(this.#sentences.rest());
    this.#written = true;
  }

  close(status: 'completed' | 'incomplete'): void {
    if (this.closed) return;
    const { sink, item } = this;
    const text = this.#text;
    const cut = item.heardMs !== undefined;
    if (sink.speaker) {
      item.object.content = [{ type: 'output_audio', ...(!cut && { transcript: text }) }];
      sink.emit({ type: 'response.output_audio.done', ...this.#place });
      sink.emit({ type: 'response.output_audio_transcript.done', ...this.#place, transcript: text });
    } else {
      item.object.content = [{ type: 'output_text', text }];
      sink.emit({ type: 'response.output_text.done', ...this.#place, text });
    }
    const part = sink.speaker
      ? ({ type: 'audio', transcript: text } as const)
      : ({ type: 'text', text } as const);
    sink.emit({ type: 'response.content_part.done', ...this.#place, part });
    this.shut(status);
  }

  get #place() {
    return { ...this.at, content_index: 0 };
  }

  #speak(text: string): void {
    if (text.trim() === '') return;
    const piece = { text, ms: 0 };
    const render = this.sink.voice?.();
    const onAudio = (audio: Buffer) => {
      const { delta, ms } = render?.(audio) ?? { delta: '', ms: 0 };
      if (delta === '') return;
      if (piece.ms === 0) this.item.spoken?.push(piece);
      piece.ms += ms;
      this.sink.emit({ type: 'response.output_audio.delta', ...this.#place, delta });
    };
    this.sink.speaker?.say(text, onAudio);
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

/** The shortest and the longest text, in characters, that is spoken at once. */
const least = 12;
const most = 400;
/** The end of a sentence, with closing quotes. */
const end = /[.!?…]["'”’)\]]*\s|[。！？]|\n/g;

/** Cuts a streamed text into sentences, so that one can be spoken while the next is written. */
export class Sentences {
  #text = '';

  /** Adds text and returns the sentences that are now complete. */
  add(text: string): string[] {
    this.#text += text;
    const whole: string[] = [];
    for (let at = this.#end(); at > 0; at = this.#end()) {
      whole.push(this.#text.slice(0, at));
      this.#text = this.#text.slice(at);
    }
    return whole;
  }

  /** Returns the remaining text. */
  rest(): string {
    const rest = this.#text;
    this.#text = '';
    return rest;
  }

  #end(): number {
    for (const { index, 0: mark } of this.#text.slice(0, most + 1).matchAll(end)) {
      const at = index + mark.length;
      if (at >= least && at <= most) return at;
    }
    if (this.#text.length <= most) return 0;
    const space = this.#text.lastIndexOf(' ', most);
    return space > least ? space + 1 : most;
  }
}
