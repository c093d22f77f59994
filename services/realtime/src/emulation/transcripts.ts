import type { RealtimeEvent, RealtimeSessionObject } from '@model-gateway/formats';
import { renderTranscriptUsage } from '@model-gateway/formats/realtime';
import { bytesPerMs } from './audio-format.ts';
import { invalid } from './check.ts';
import type { Item, ItemAudio } from './item.ts';
import type { Models, Transcript, TranscriptQuery } from './models.ts';
import { renderFailure } from './render-failure.ts';
import type { SessionMemory } from './session-memory.ts';

/** The most audio that waits for transcription, in bytes. */
export const maxWaiting = 16 * 1024 * 1024;
/** Bytes that a waiting recording counts beside its audio. */
export const recordingBytes = 64 * 1024;
/** The most transcription requests of a session in flight; others wait in order. */
export const maxAsked = 4;

interface TranscriptsOptions {
  models: Models;
  memory: SessionMemory;
  signal: AbortSignal;
  /** Settings of transcripts; null if the client does not want them. */
  settings(): RealtimeSessionObject['audio']['input']['transcription'];
  emit(event: RealtimeEvent): void;
  /** Called when an item has grown. */
  changed(item: Item): void;
}

/** Transcribes the user's audio while the session goes on. */
export class Transcripts {
  readonly #options: TranscriptsOptions;
  readonly #waiting = new Map<Item, Promise<unknown>>();
  readonly #queue: (() => void)[] = [];
  #inFlight = 0;
  #bytes = 0;

  constructor(options: TranscriptsOptions) {
    this.#options = options;
  }

  /** Resolves when the audio of these items is transcribed or has failed. */
  written(items: readonly Item[]): Promise<unknown> {
    const waiting = this.#waiting.size > 0 ? items.flatMap(item => this.#waiting.get(item) ?? []) : [];
    return Promise.all(waiting);
  }

  write(item: Item, audio: NonNullable<Item['audio']>): void {
    const all = Promise.all([...audio].map(([at, recording]) => this.#transcribe(item, at, recording)));
    this.#waiting.set(
      item,
      all.finally(() => this.#waiting.delete(item)),
    );
  }

  async #transcribe(item: Item, at: number, { bytes, format }: ItemAudio): Promise<void> {
    const { signal, settings, emit, changed, memory } = this.#options;
    const place = { item_id: item.object.id, content_index: at };
    const query = settings();
    const size = bytes.length + recordingBytes;
    this.#bytes += size;
    try {
      if (this.#bytes > maxWaiting + recordingBytes)
        throw invalid(null, 'Too much audio waits to be transcribed.', 'too_many_requests');
      memory.set('transcripts', this.#bytes);
      const result = await this.#request({ bytes, format }, query ?? {});
      const transcript = result?.text.trim() ?? '';
      const part = item.object.type === 'message' ? item.object.content[at] : undefined;
      if (part?.type === 'input_audio') part.transcript = transcript;
      changed(item);
      const seconds = bytes.length / bytesPerMs(format) / 1_000;
      const usage = renderTranscriptUsage(result?.usage ?? null, seconds);
      const type = 'conversation.item.input_audio_transcription.completed';
      if (query && !signal.aborted) emit({ type, ...place, transcript, usage });
    } catch (thrown) {
      if (signal.aborted) return;
      const type = 'conversation.item.input_audio_transcription.failed';
      emit({ type, ...place, error: renderFailure(thrown) });
    } finally {
      this.#bytes -= size;
      memory.note('transcripts', this.#bytes);
    }
  }

  async #request(recording: ItemAudio, query: TranscriptQuery): Promise<Transcript | undefined> {
    const { models, signal } = this.#options;
    if (this.#inFlight < maxAsked) this.#inFlight++;
    else await new Promise<void>(resolve => this.#queue.push(resolve));
    try {
      return signal.aborted ? undefined : await models.transcribe?.(recording, query, signal);
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#inFlight--;
    }
  }
}
