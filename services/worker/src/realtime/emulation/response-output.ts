import type { RealtimeEvent, RealtimeItemObject } from '@model-gateway/wire';
import type { Item } from './item.ts';
import type { Speaker } from './speaker.ts';

/** Where what a model says is shown. */
export interface OutputSink {
  emit(event: RealtimeEvent): void;
  newId(): string;
  /** Puts an item in the conversation, and tells which it follows; absent for a response outside of it. */
  add?(item: Item): string | null;
  /** An item of the conversation is what it will be. */
  finished(item: Item): void;
  /** Speaks what is said; absent where it is shown as text. */
  speaker?: Speaker;
  /** For a piece of speech, which comes cut anywhere: its audio in the client's format, as base64, and how long it is. */
  voice?(): (audio: Buffer) => { delta: string; ms: number };
}

type Message = Extract<RealtimeItemObject, { type: 'message' }>;
type Call = Extract<RealtimeItemObject, { type: 'function_call' }>;

/** An item that a model writes. */
abstract class OutputItem<T extends Message | Call> {
  readonly item: Item & { object: T };
  protected readonly stage: OutputSink;
  protected readonly at: { response_id: string; output_index: number; item_id: string };
  #previous: string | null | undefined;
  #closed = false;

  constructor(stage: OutputSink, responseId: string, index: number, object: T) {
    this.stage = stage;
    this.item = { object };
    this.at = { response_id: responseId, output_index: index, item_id: object.id };
  }

  get closed(): boolean {
    return this.#closed;
  }

  protected open(): void {
    const { stage, item } = this;
    const { response_id, output_index } = this.at;
    this.#previous = stage.add?.(item);
    stage.emit({ type: 'response.output_item.added', response_id, output_index, item: copyOf(item) });
    if (this.#previous !== undefined)
      stage.emit({ type: 'conversation.item.added', previous_item_id: this.#previous, item: copyOf(item) });
  }

  protected shut(status: 'completed' | 'incomplete'): void {
    const { stage, item } = this;
    const { response_id, output_index } = this.at;
    this.#closed = true;
    item.object.status = status;
    stage.finished(item);
    if (this.#previous !== undefined)
      stage.emit({ type: 'conversation.item.done', previous_item_id: this.#previous, item: copyOf(item) });
    stage.emit({ type: 'response.output_item.done', response_id, output_index, item: copyOf(item) });
  }

  /** Tells that the item is what it will be. */
  abstract close(status: 'completed' | 'incomplete'): void;
}

/** What a model says, as text or spoken. */
export class OutputMessage extends OutputItem<Message> {
  readonly #sentences = new Sentences();
  #text = '';
  #said = false;

  constructor(stage: OutputSink, responseId: string, index: number) {
    const head = { id: stage.newId(), object: 'realtime.item', status: 'in_progress' } as const;
    super(stage, responseId, index, { ...head, type: 'message', role: 'assistant', content: [] });
    if (stage.speaker) this.item.spoken = [];
    this.open();
    const part = stage.speaker
      ? ({ type: 'audio', transcript: '' } as const)
      : ({ type: 'text', text: '' } as const);
    stage.emit({ type: 'response.content_part.added', ...this.#place, part });
  }

  add(delta: string): void {
    const { stage } = this;
    if (delta === '') return;
    this.#text += delta;
    const type = stage.speaker ? 'response.output_audio_transcript.delta' : 'response.output_text.delta';
    stage.emit({ type, ...this.#place, delta });
    if (stage.speaker) for (const sentence of this.#sentences.add(delta)) this.#speak(sentence);
  }

  /** All of it was written: the rest is spoken, too. */
  written(): void {
    if (this.stage.speaker && !this.#said) this.#speak(this.#sentences.rest());
    this.#said = true;
  }

  close(status: 'completed' | 'incomplete'): void {
    if (this.closed) return;
    const { stage, item } = this;
    const text = this.#text;
    const cut = item.heardMs !== undefined;
    if (stage.speaker) {
      item.object.content = [{ type: 'output_audio', ...(!cut && { transcript: text }) }];
      stage.emit({ type: 'response.output_audio.done', ...this.#place });
      stage.emit({ type: 'response.output_audio_transcript.done', ...this.#place, transcript: text });
    } else {
      item.object.content = [{ type: 'output_text', text }];
      stage.emit({ type: 'response.output_text.done', ...this.#place, text });
    }
    const part = stage.speaker
      ? ({ type: 'audio', transcript: text } as const)
      : ({ type: 'text', text } as const);
    stage.emit({ type: 'response.content_part.done', ...this.#place, part });
    this.shut(status);
  }

  get #place() {
    return { ...this.at, content_index: 0 };
  }

  #speak(text: string): void {
    if (text.trim() === '') return;
    const piece = { text, ms: 0 };
    const render = this.stage.voice?.();
    const heard = (audio: Buffer) => {
      const { delta, ms } = render?.(audio) ?? { delta: '', ms: 0 };
      if (delta === '') return;
      if (piece.ms === 0) this.item.spoken?.push(piece);
      piece.ms += ms;
      this.stage.emit({ type: 'response.output_audio.delta', ...this.#place, delta });
    };
    this.stage.speaker?.say(text, heard);
  }
}

/** A function that a model calls. */
export class OutputCall extends OutputItem<Call> {
  constructor(stage: OutputSink, responseId: string, index: number, call: { id: string; name: string }) {
    const head = { id: stage.newId(), object: 'realtime.item', status: 'in_progress' } as const;
    const { id: call_id, name } = call;
    super(stage, responseId, index, { ...head, type: 'function_call', call_id, name, arguments: '' });
    this.open();
  }

  add(delta: string): void {
    if (delta === '') return;
    const { call_id } = this.item.object;
    this.item.object.arguments += delta;
    this.stage.emit({ type: 'response.function_call_arguments.delta', ...this.at, call_id, delta });
  }

  close(status: 'completed' | 'incomplete'): void {
    if (this.closed) return;
    const { object } = this.item;
    // A function that takes nothing is called with nothing, which readers cannot parse.
    if (status === 'completed' && object.arguments.trim() === '') object.arguments = '{}';
    const { call_id, name, arguments: text } = object;
    if (status === 'completed')
      this.stage.emit({
        type: 'response.function_call_arguments.done',
        ...this.at,
        call_id,
        name,
        arguments: text,
      });
    this.shut(status);
  }
}

/** As it is now: what is kept changes on. */
export function copyOf({ object }: Item): RealtimeItemObject {
  return structuredClone(object);
}

/** The least that is spoken at once, if more follows; and the most. */
const least = 12;
const most = 400;
/** What a sentence ends with, and what may follow at once. */
const end = /[.!?…]["'”’)\]]*\s|[。！？]|\n/g;

/** Cuts a text that comes in pieces into sentences, so that each can be spoken while the next one is written. */
export class Sentences {
  #text = '';

  /** The sentences that are whole now; together they are the text. */
  add(text: string): string[] {
    this.#text += text;
    const whole: string[] = [];
    for (let at = this.#end(); at > 0; at = this.#end()) {
      whole.push(this.#text.slice(0, at));
      this.#text = this.#text.slice(at);
    }
    return whole;
  }

  /** What is left at the end. */
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
