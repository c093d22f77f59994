import { wrong } from '../openai-complaint.ts';
import { bytesAMs } from './audio-format.ts';
import type { Item, Part } from './conversation.ts';
import { heardIn } from './hearing.ts';
import type { Line } from './line.ts';
import { Listener, type Turn } from './listener.ts';
import type { SessionSettings } from './settings.ts';
import { transcribe } from './transcribe.ts';

const leastCommitMs = 100;
const mostAppendCharacters = (15 * 1024 * 1024 * 4) / 3;

export interface EarOptions {
  line: Line;
  input(): SessionSettings['audio']['input'];
  newItemId(): string;
  add(item: Item): void;
  lastItemId(): string | null;
  /** Is told when the client begins to speak, and when what it said is an item. */
  onTurn(kind: Turn['kind']): void;
}

/** The audio that a client sends, up to where it is an item of the conversation. */
export class Ear {
  readonly #options: EarOptions;
  readonly #listener = new Listener();
  /** The item that what is being said will be. */
  #coming: string | undefined;

  constructor(options: EarOptions) {
    this.#options = options;
  }

  /** @throws Refusal */
  append(audio: string): void {
    if (audio.length > mostAppendCharacters)
      throw wrong('Audio of one event must not exceed 15 MiB.', 'invalid_value', 'audio');
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(audio))
      throw wrong(
        "Invalid 'audio'. Expected base64-encoded audio bytes but got an invalid value.",
        'invalid_value',
        'audio',
      );
    const turns = this.#listener.append(Buffer.from(audio, 'base64'), this.#options.input());
    for (const turn of turns) this.#turn(turn);
  }

  /** @throws Refusal */
  commit(): void {
    const ms = this.#msOf(this.#listener.bytes);
    if (ms < leastCommitMs)
      throw wrong(
        `Error committing input audio buffer: buffer too small. Expected at least ${leastCommitMs}ms of audio, but buffer only has ${ms.toFixed(2)}ms of audio.`,
        'input_audio_buffer_commit_empty',
        null,
      );
    this.#take(this.#listener.take());
  }

  clear(): void {
    this.#listener.clear();
    this.#coming = undefined;
    this.#options.line.event('input_audio_buffer.cleared', {});
  }

  /** What a part of an item needs to know of audio. */
  heard(audio: Buffer): Partial<Part> {
    const audioMs = this.#msOf(audio.length);
    return { audio, audioMs, heard: heardIn(audioMs).join('') };
  }

  #turn(turn: Turn): void {
    const { line, newItemId, onTurn } = this.#options;
    this.#coming ??= newItemId();
    const item_id = this.#coming;
    if (turn.kind === 'started')
      line.event('input_audio_buffer.speech_started', { audio_start_ms: turn.atMs, item_id });
    else {
      line.event('input_audio_buffer.speech_stopped', { audio_end_ms: turn.atMs, item_id });
      this.#take(turn.audio);
    }
    onTurn(turn.kind);
  }

  #take(audio: Buffer): void {
    const { line, input, newItemId, lastItemId, add } = this.#options;
    const id = this.#coming ?? newItemId();
    this.#coming = undefined;
    const content: Part[] = [{ type: 'input_audio', transcript: null, ...this.heard(audio) }];
    const item: Item = { id, type: 'message', status: 'completed', role: 'user', content };
    line.event('input_audio_buffer.committed', { previous_item_id: lastItemId(), item_id: id });
    add(item);
    const { transcription } = input();
    if (transcription) void transcribe(item, transcription.model ?? '', line);
  }

  #msOf(bytes: number): number {
    return bytes / bytesAMs(this.#options.input().format);
  }
}
