import type { RealtimeAudioFormat, RealtimeTurnDetection } from '@model-gateway/wire';
import { bytesPerMs, rateOf, samplesOf } from './audio-format.ts';
import { invalid } from './check.ts';
import { type Heard, VoiceActivity } from './voice-activity.ts';

/** The most bytes of audio that wait to be committed. */
export const maxBuffered = 16 * 1024 * 1024;
/** The least audio that is worth to be written down, in milliseconds. */
export const minCommitMs = 100;
/** Speech is known for such only after a while; what is forgotten, is forgotten a good piece at a time. */
const marginMs = 200;
const trimMs = 1_000;
/** In how many pieces it waits at most. */
const maxChunks = 1_024;

/** What the user says, until it is committed. Times count from the first audio of the session. */
export class InputBuffer {
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** When the first byte of it was said. */
  #fromMs = 0;
  #format: RealtimeAudioFormat;
  #detection: RealtimeTurnDetection | null;
  #activity: VoiceActivity | undefined;
  /** The first half of a sample, whose other half is still to come. */
  #odd: Buffer = Buffer.alloc(0);

  constructor(format: RealtimeAudioFormat, detection: RealtimeTurnDetection | null) {
    this.#format = format;
    this.#detection = detection;
    this.#listen();
  }

  /** When the last byte of it was said. */
  get endMs(): number {
    return this.#fromMs + this.#bytes / bytesPerMs(this.#format);
  }

  get speaking(): boolean {
    return this.#activity?.speaking ?? false;
  }

  /** @throws GatewayError of kind `invalid-request` if what is there would be read in another way */
  checkFormat(format: RealtimeAudioFormat): void {
    if (format.type !== this.#format.type && this.#bytes > 0)
      throw invalid(
        'session.audio.input.format',
        'The format cannot be changed while the buffer holds audio: commit or clear it first.',
      );
  }

  /** What is said from now on is read like this. */
  configure(format: RealtimeAudioFormat, detection: RealtimeTurnDetection | null): void {
    const same = JSON.stringify([format, detection]) === JSON.stringify([this.#format, this.#detection]);
    if (same) return;
    this.#fromMs = this.endMs - this.#bytes / bytesPerMs(format);
    this.#format = format;
    this.#detection = detection;
    this.#listen(this.speaking);
  }

  hasRoom(bytes: Buffer): boolean {
    return this.#bytes + bytes.length <= maxBuffered;
  }

  /** Whoever speaks is taken to have stopped. */
  stop(): Heard {
    this.#activity?.reset();
    return { type: 'stopped', ms: Math.floor(this.endMs) };
  }

  /** Takes audio; tells when speech began or ended in it. @throws GatewayError of kind `invalid-request` if it is too much */
  append(bytes: Buffer): Heard[] {
    if (!this.hasRoom(bytes))
      throw invalid(
        'audio',
        'The audio buffer is full: commit or clear it first.',
        'input_audio_buffer_full',
      );
    this.#keep(bytes);
    if (!this.#activity) return [];
    const all = this.#odd.length > 0 ? Buffer.concat([this.#odd, bytes]) : bytes;
    const even = this.#format.type === 'audio/pcm' ? all.length & ~1 : all.length;
    this.#odd = all.subarray(even);
    return this.#activity.read(samplesOf(all.subarray(0, even), this.#format));
  }

  /** Forgets silence that can be no part of a turn any more. */
  trim(): void {
    if (!this.#activity || this.speaking) return;
    const spareMs = Math.floor(this.#bytes / bytesPerMs(this.#format)) - this.prefixMs - marginMs;
    if (spareMs > trimMs) this.#take(this.#whole(spareMs));
  }

  /** When a turn begins that is heard from a time on: a little earlier, as far as that is still there. */
  startOf(ms: number): number {
    return Math.max(Math.ceil(this.#fromMs), ms - this.prefixMs, 0);
  }

  get prefixMs(): number {
    const detection = this.#detection;
    return (detection?.type === 'server_vad' ? detection.prefix_padding_ms : null) ?? 300;
  }

  /** Takes a turn out of the buffer, and forgets what was before it; all of it, where no times are said. */
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
    // Half a sample stays for what follows.
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

  /** Many small pieces would take more than their bytes. */
  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    if (this.#chunks.length >= maxChunks) this.#chunks = [Buffer.concat(this.#chunks)];
  }

  /** So many bytes from the front. */
  #take(count: number): Buffer {
    const bytes = Math.min(Math.max(count, 0), this.#bytes);
    if (bytes === 0) return Buffer.alloc(0);
    const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    const rest = all.subarray(bytes);
    // Copies, since a view keeps all of it; but where most is left, which would be copied over and over.
    const few = rest.length < all.length / 2;
    this.#chunks = rest.length > 0 ? [few ? Buffer.from(rest) : rest] : [];
    this.#bytes = rest.length;
    this.#fromMs += bytes / bytesPerMs(this.#format);
    return rest.length > 0 ? Buffer.from(all.subarray(0, bytes)) : all;
  }

  /** The bytes of a time, in whole samples. */
  #whole(ms: number): number {
    return Math.floor(ms) * bytesPerMs(this.#format);
  }
}
