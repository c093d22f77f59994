import type { RealtimeEvent, RealtimeSessionObject } from '@model-gateway/wire';
import { InputBuffer } from './input-buffer.ts';
import type { Heard } from './voice-activity.ts';

type AudioInput = RealtimeSessionObject['audio']['input'];

export interface ListenerOptions {
  newId(): string;
  emit(event: RealtimeEvent): void;
  /** The user has said something, of which an item is to be made. */
  said(itemId: string, audio: Buffer): void;
  /** The user begins to speak, and nobody else should. */
  interrupt(): void;
  /** The user has done, and wants an answer. */
  answer(): void;
}

/** Hears the user: what is said until it is committed, by the client or once it is followed by silence. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #buffer: InputBuffer;
  #input: AudioInput;
  /** What the user is saying. */
  #speech: { itemId: string; fromMs: number } | undefined;

  constructor(input: AudioInput, options: ListenerOptions) {
    this.#options = options;
    this.#input = input;
    this.#buffer = new InputBuffer(input.format, input.turn_detection);
  }

  /** Listens as the session has it from now on. @throws GatewayError of kind `invalid-request` */
  configure(input: AudioInput): void {
    this.#buffer.checkFormat(input.format);
    this.#buffer.configure(input.format, input.turn_detection);
    if (!input.turn_detection) this.#speech = undefined;
    this.#input = input;
  }

  append(audio: Buffer): void {
    // Who never stops is answered all the same.
    if (this.#speech && !this.#buffer.hasRoom(audio)) this.#hear(this.#buffer.stop());
    for (const heard of this.#buffer.append(audio)) this.#hear(heard);
    if (!this.#tellsOnly) this.#buffer.trim();
  }

  /** @throws GatewayError of kind `invalid-request` if there is nothing to speak of */
  commit(): void {
    const audio = this.#buffer.commit();
    const itemId = this.#speech?.itemId ?? this.#options.newId();
    this.#speech = undefined;
    this.#options.said(itemId, audio);
  }

  clear(): void {
    this.#buffer.clear();
    this.#speech = undefined;
    this.#options.emit({ type: 'input_audio_buffer.cleared' });
  }

  /** Who wants no part in turns but to hear of them, commits them, too. */
  get #tellsOnly(): boolean {
    const detection = this.#input.turn_detection;
    return detection?.create_response === false && detection.interrupt_response === false;
  }

  #hear({ type, ms }: Heard): void {
    if (type === 'started') this.#started(ms);
    else this.#stopped(ms);
  }

  #started(ms: number): void {
    const { newId, emit, interrupt } = this.#options;
    const speech = { itemId: newId(), fromMs: this.#buffer.startOf(ms) };
    this.#speech = speech;
    const at = { audio_start_ms: Math.round(speech.fromMs), item_id: speech.itemId };
    emit({ type: 'input_audio_buffer.speech_started', ...at });
    if (this.#input.turn_detection?.interrupt_response !== false) interrupt();
  }

  #stopped(ms: number): void {
    if (!this.#speech) return;
    const { emit, said, answer } = this.#options;
    const { itemId, fromMs } = this.#speech;
    this.#speech = undefined;
    emit({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: Math.round(ms), item_id: itemId });
    if (this.#tellsOnly) return;
    said(itemId, this.#buffer.commit(fromMs, ms));
    if (this.#input.turn_detection?.create_response !== false) answer();
  }
}
