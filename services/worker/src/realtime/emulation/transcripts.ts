import type { RealtimeEvent, RealtimeSessionObject } from '@model-gateway/wire';
import { bytesPerMs, wavOf } from './audio-format.ts';
import { invalid } from './check.ts';
import type { Item, ItemAudio } from './item.ts';
import type { Models, Transcript, TranscriptQuery } from './models.ts';
import { renderFailure } from './render-failure.ts';
import { renderTranscriptUsage } from './render-response.ts';

/** The most audio that waits to be written down, in bytes. */
export const maxWaiting = 16 * 1024 * 1024;
/** How many recordings of a session are with the model at once; the others wait in their order. */
export const maxAsked = 4;

export interface TranscriptsOptions {
  models: Models;
  signal: AbortSignal;
  /** What the client wants of transcripts; null where it does not want to see any. */
  settings(): RealtimeSessionObject['audio']['input']['transcription'];
  emit(event: RealtimeEvent): void;
  /** An item holds more than before. */
  changed(item: Item): void;
}

/** Has what the user said written down, while the session goes on. */
export class Transcripts {
  readonly #options: TranscriptsOptions;
  readonly #waiting = new Map<Item, Promise<unknown>>();
  readonly #queue: (() => void)[] = [];
  #asked = 0;
  #bytes = 0;

  constructor(options: TranscriptsOptions) {
    this.#options = options;
  }

  /** Resolves when what was said in these items is written down, or cannot be. */
  written(items: readonly Item[]): Promise<unknown> {
    return Promise.all(items.map(item => this.#waiting.get(item)));
  }

  write(item: Item, audio: NonNullable<Item['audio']>): void {
    const all = Promise.all([...audio].map(([at, sound]) => this.#write(item, at, sound)));
    this.#waiting.set(
      item,
      all.finally(() => this.#waiting.delete(item)),
    );
  }

  async #write(item: Item, at: number, { bytes, format }: ItemAudio): Promise<void> {
    const { signal, settings, emit, changed } = this.#options;
    const place = { item_id: item.object.id, content_index: at };
    const asked = settings();
    this.#bytes += bytes.length;
    try {
      if (this.#bytes > maxWaiting)
        throw invalid(null, 'Too much audio waits to be transcribed.', 'too_many_requests');
      const written = await this.#ask({ bytes, format }, asked ?? {});
      const transcript = written?.text.trim() ?? '';
      const part = item.object.type === 'message' ? item.object.content[at] : undefined;
      if (part?.type === 'input_audio') part.transcript = transcript;
      changed(item);
      const seconds = bytes.length / bytesPerMs(format) / 1_000;
      const usage = renderTranscriptUsage(written?.usage ?? null, seconds);
      const type = 'conversation.item.input_audio_transcription.completed';
      if (asked && !signal.aborted) emit({ type, ...place, transcript, usage });
    } catch (thrown) {
      if (signal.aborted) return;
      const type = 'conversation.item.input_audio_transcription.failed';
      emit({ type, ...place, error: renderFailure(thrown) });
    } finally {
      this.#bytes -= bytes.length;
    }
  }

  async #ask({ bytes, format }: ItemAudio, asked: TranscriptQuery): Promise<Transcript | undefined> {
    const { models, signal } = this.#options;
    if (this.#asked < maxAsked) this.#asked++;
    else await new Promise<void>(resolve => this.#queue.push(resolve));
    try {
      return signal.aborted ? undefined : await models.transcribe?.(wavOf(bytes, format), asked, signal);
    } finally {
      const next = this.#queue.shift();
      if (next) next();
      else this.#asked--;
    }
  }
}
