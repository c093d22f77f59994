import type { RealtimeEvent, RealtimeSessionObject } from '@model-gateway/formats';
import { bytesPerMs } from './audio-format.ts';
import { InputBuffer } from './input-buffer.ts';
import type { SessionMemory } from './session-memory.ts';
import type { SpeechEvent } from './voice-activity.ts';

type AudioInput = RealtimeSessionObject['audio']['input'];

/** Audio that is appended at once, in milliseconds. */
const stepMs = 5_000;

interface ListenerOptions {
  memory: SessionMemory;
  newId(): string;
  emit(event: RealtimeEvent): void;
  /** Called with the audio of a turn, to be added as an item. */
  onTurn(itemId: string, audio: Buffer): void;
  /** Interrupts the active response, since the user begins to speak. */
  interrupt(): void;
  /** Responds to the user's turn. */
  answer(): void;
  /** Resolves when the next step of a large message may run; with false once the session is over. */
  nextStep(): Promise<boolean>;
}

/** Collects the user's audio until it is committed, by the client or by turn detection. */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #buffer: InputBuffer;
  #input: AudioInput;
  /** The user's speech in progress. */
  #speech: { itemId: string; fromMs: number } | undefined;

  constructor(input: AudioInput, options: ListenerOptions) {
    this.#options = options;
    this.#input = input;
    this.#buffer = new InputBuffer(input.format, input.turn_detection, options.memory);
  }

  /** Applies new settings. @throws GatewayError of kind `invalid-request` */
  configure(input: AudioInput): void {
    this.#buffer.checkFormat(input.format);
    this.#buffer.configure(input.format, input.turn_detection);
    if (!input.turn_detection) this.#speech = undefined;
    this.#input = input;
  }

  /** Appends audio; much of it in steps, since it may hold thousands of turns. @throws GatewayError if there is no room */
  append(audio: Buffer): Promise<void> | undefined {
    // Speech without a pause is committed when the buffer is full.
    if (this.#speech && !this.#buffer.hasRoom(audio.length)) this.#handle(this.#buffer.stop());
    this.#buffer.checkRoom(audio.length);
    const step = stepMs * bytesPerMs(this.#input.format);
    if (audio.length > step) return this.#appendInSteps(audio, step);
    this.#append(audio);
    return undefined;
  }

  async #appendInSteps(audio: Buffer, step: number): Promise<void> {
    for (let at = 0; at < audio.length; at += step) {
      // A view would keep all of the audio.
      this.#append(Buffer.from(audio.subarray(at, at + step)));
      if (!(await this.#options.nextStep())) return;
    }
  }

  #append(audio: Buffer): void {
    for (const event of this.#buffer.append(audio)) this.#handle(event);
    if (!this.#reportsOnly) this.#buffer.trim();
  }

  /** @throws GatewayError of kind `invalid-request` if there is too little audio */
  commit(): void {
    const audio = this.#buffer.commit();
    const itemId = this.#speech?.itemId ?? this.#options.newId();
    this.#speech = undefined;
    this.#options.onTurn(itemId, audio);
  }

  clear(): void {
    this.#buffer.clear();
    this.#speech = undefined;
    this.#options.emit({ type: 'input_audio_buffer.cleared' });
  }

  /** True if the client wants only speech events, and commits turns itself. */
  get #reportsOnly(): boolean {
    const detection = this.#input.turn_detection;
    return detection?.create_response === false && detection.interrupt_response === false;
  }

  #handle({ type, ms }: SpeechEvent): void {
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
    const { emit, onTurn, answer } = this.#options;
    const { itemId, fromMs } = this.#speech;
    this.#speech = undefined;
    emit({ type: 'input_audio_buffer.speech_stopped', audio_end_ms: Math.round(ms), item_id: itemId });
    if (this.#reportsOnly) return;
    onTurn(itemId, this.#buffer.commit(fromMs, ms));
    if (this.#input.turn_detection?.create_response !== false) answer();
  }
}
