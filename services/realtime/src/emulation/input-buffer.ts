import type { RealtimeAudioFormat, RealtimeTurnDetection } from '@model-gateway/formats';
import { bytesPerMs, rateOf, samplesOf } from './audio-format.ts';
import { invalid } from './check.ts';
import { SessionMemory } from './session-memory.ts';
import { type SpeechEvent, VoiceActivity } from './voice-activity.ts';

/** The most uncommitted audio, in bytes. */
export const maxBuffered = 16 * 1024 * 1024;
/** The shortest audio that can be committed, in milliseconds. */
export const minCommitMs = 100;
/** Silence kept beyond the prefix, since speech is detected late; and the least silence dropped at once. */
const marginMs = 200;
const trimMs = 1_000;
/** The most pieces in the buffer. */
const maxChunks = 1_024;

/** The user's audio until it is committed. Times are relative to the first audio of the session. */
export class InputBuffer {
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Time of the first byte. */
  #fromMs = 0;
  #format: RealtimeAudioFormat;
  #detection: RealtimeTurnDetection | null;
  readonly #memory: SessionMemory;
  #activity: VoiceActivity | undefined;
  /** The first half of a sample whose other half has not arrived. */
  #odd: Buffer = Buffer.alloc(0);

  constructor(
    format: RealtimeAudioFormat,
    detection: RealtimeTurnDetection | null,
    memory = new SessionMemory(),
  ) {
    this.#memory = memory;
    this.#format = format;
    this.#detection = detection;
    this.#listen();
  }

  /** Time of the last byte. */
  get endMs(): number {
    return this.#fromMs + this.#bytes / bytesPerMs(this.#format);
  }

  get speaking(): boolean {
    return this.#activity?.speaking ?? false;
  }

  /** @throws GatewayError of kind `invalid-request` if the buffer holds audio of another format */
  checkFormat(format: RealtimeAudioFormat): void {
    if (format.type !== this.#format.type && this.#bytes > 0)
      throw invalid(
        'session.audio.input.format',
        'The format cannot be changed while the buffer holds audio: commit or clear it first.',
      );
  }

  /** Applies a format and turn detection to the audio that follows. */
  configure(format: RealtimeAudioFormat, detection: RealtimeTurnDetection | null): void {
    const same = JSON.stringify([format, detection]) === JSON.stringify([this.#format, this.#detection]);
    if (same) return;
    this.#fromMs = this.endMs - this.#bytes / bytesPerMs(format);
    this.#format = format;
    this.#detection = detection;
    this.#listen(this.speaking);
  }

  hasRoom(bytes: number): boolean {
    return this.#bytes + bytes <= maxBuffered;
  }

  /** @throws GatewayError of kind `invalid-request` if there is no room for so many bytes */
  checkRoom(bytes: number): void {
    if (!this.hasRoom(bytes))
      throw invalid(
        'audio',
        'The audio buffer is full: commit or clear it first.',
        'input_audio_buffer_full',
      );
  }

  /** Ends the speech in progress. */
  stop(): SpeechEvent {
    this.#activity?.reset();
    return { type: 'stopped', ms: Math.floor(this.endMs) };
  }

  /** Returns the speech events. @throws GatewayError if the buffer is full, or the token's share of bodies */
  append(bytes: Buffer): SpeechEvent[] {
    this.checkRoom(bytes.length);
    this.#memory.set('input', this.#bytes + bytes.length);
    this.#add(bytes);
    if (!this.#activity) return [];
    const all = this.#odd.length > 0 ? Buffer.concat([this.#odd, bytes]) : bytes;
    const even = this.#format.type === 'audio/pcm' ? all.length & ~1 : all.length;
    this.#odd = all.subarray(even);
    return this.#activity.read(samplesOf(all.subarray(0, even), this.#format));
  }

  /** Drops silence that cannot become part of a turn. */
  trim(): void {
    if (!this.#activity || this.speaking) return;
    const spareMs = Math.floor(this.#bytes / bytesPerMs(this.#format)) - this.prefixMs - marginMs;
    if (spareMs > trimMs) this.#take(this.#whole(spareMs));
  }

  /** Returns the beginning of a turn whose speech begins at `ms`: the prefix before it, if still buffered. */
  startOf(ms: number): number {
    return Math.max(Math.ceil(this.#fromMs), ms - this.prefixMs, 0);
  }

  get prefixMs(): number {
    const detection = this.#detection;
    return (detection?.type === 'server_vad' ? detection.prefix_padding_ms : null) ?? 300;
  }

  /** Removes a turn from the buffer and drops the audio before it; without times, removes everything. */
  commit(fromMs?: number, toMs?: number): Buffer {
    if (toMs === undefined) {
      const ms = this.#bytes / bytesPerMs(this.#format);
      if (ms < minCommitMs)
        throw invalid(
          null,
          `Error committing input audio buffer: buffer too small. Expected at least ${minCommitMs}ms of audio, but buffer only has ${ms.toFixed(2)}ms of audio.`,
          'input_audio_buffer_commit_empty',
        );
      this.#activity?.reset();
    }
    if (fromMs !== undefined) this.#take(this.#whole(fromMs - this.#fromMs));
    // Half a sample stays in the buffer.
    const all = this.#format.type === 'audio/pcm' ? this.#bytes & ~1 : this.#bytes;
    return this.#take(toMs === undefined ? all : this.#whole(toMs - this.#fromMs));
  }

  clear(): void {
    this.#take(this.#bytes);
    this.#odd = Buffer.alloc(0);
    this.#listen();
  }

  #listen(speaking = false): void {
    this.#odd = Buffer.alloc(0);
    this.#activity = this.#detection
      ? new VoiceActivity(this.#detection, rateOf(this.#format), this.endMs, speaking)
      : undefined;
  }

  /** Adds a piece; many small pieces are merged, since each takes more memory than its bytes. */
  #add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    if (this.#chunks.length >= maxChunks) this.#chunks = [Buffer.concat(this.#chunks)];
  }

  /** Removes bytes from the front. */
  #take(count: number): Buffer {
    const bytes = Math.min(Math.max(count, 0), this.#bytes);
    if (bytes === 0) return Buffer.alloc(0);
    const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    const rest = all.subarray(bytes);
    // A copy, since a view keeps all of the memory; a view if most is left, to avoid repeated copies.
    const few = rest.length < all.length / 2;
    this.#chunks = rest.length > 0 ? [few ? Buffer.from(rest) : rest] : [];
    this.#bytes = rest.length;
    this.#memory.note('input', rest.length);
    this.#fromMs += bytes / bytesPerMs(this.#format);
    return rest.length > 0 ? Buffer.from(all.subarray(0, bytes)) : all;
  }

  /** Returns the bytes of a duration, in whole samples. */
  #whole(ms: number): number {
    return Math.floor(ms) * bytesPerMs(this.#format);
  }
}
