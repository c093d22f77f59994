import { type AudioFormat, bytesAMs, loudness } from './audio-format.ts';
import type { SessionSettings } from './settings.ts';

type Input = SessionSettings['audio']['input'];

/** What happened in the audio that came: times in milliseconds since the session began. */
export type Turn = { kind: 'started'; atMs: number } | { kind: 'stopped'; atMs: number; audio: Buffer };

const frameMs = 20;
/** As loud as this is speech at the usual threshold of a half. */
const speechLoudness = 0.02;
const mostBytes = 64 * 1024 * 1024;
/** How long one must be silent to have finished, where it goes by sense. */
const pauses = { low: 2_000, medium: 1_000, auto: 1_000, high: 500 };

/** The audio that a client sent and that is no part of an item yet; hears where speech begins and ends by how loud it is. */
export class Listener {
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** What is not a whole frame. */
  #rest = Buffer.alloc(0);
  #clockMs = 0;
  #speaking = false;
  #silentMs = 0;

  get bytes(): number {
    return this.#bytes + this.#rest.length;
  }

  /** Takes audio; without turn detection it is only kept. */
  append(audio: Buffer, input: Input): Turn[] {
    const frameBytes = frameMs * bytesAMs(input.format);
    const all = this.#rest.length > 0 ? Buffer.concat([this.#rest, audio]) : audio;
    const whole = all.length - (all.length % frameBytes);
    this.#rest = Buffer.from(all.subarray(whole));
    const turns: Turn[] = [];
    for (let at = 0; at < whole; at += frameBytes) {
      const turn = this.#frame(all.subarray(at, at + frameBytes), input);
      if (turn) turns.push(turn);
    }
    return turns;
  }

  /** Gives what is there, and begins anew. */
  take(): Buffer {
    const audio = Buffer.concat([...this.#chunks, this.#rest]);
    this.clear();
    return audio;
  }

  clear(): void {
    this.#chunks = [];
    this.#bytes = 0;
    this.#rest = Buffer.alloc(0);
    this.#speaking = false;
    this.#silentMs = 0;
  }

  #frame(frame: Buffer, { format, turn_detection: detection }: Input): Turn | null {
    this.#keep(frame);
    const startMs = this.#clockMs;
    this.#clockMs += frameMs;
    if (!detection) return null;
    const [threshold, prefixMs, pauseMs] =
      detection.type === 'server_vad'
        ? [detection.threshold, detection.prefix_padding_ms, detection.silence_duration_ms]
        : [0.5, 300, pauses[detection.eagerness]];
    const loud = loudness(frame, format) > speechLoudness * 2 * threshold;
    this.#silentMs = loud ? 0 : this.#silentMs + frameMs;
    if (!this.#speaking) {
      if (loud) {
        this.#speaking = true;
        return { kind: 'started', atMs: Math.max(0, startMs - prefixMs) };
      }
      this.#forgetBefore(prefixMs, format);
      return null;
    }
    if (this.#silentMs < Math.max(pauseMs, frameMs)) return null;
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    const audio = this.take();
    this.#rest = rest;
    return { kind: 'stopped', atMs: this.#clockMs, audio };
  }

  #keep(frame: Buffer): void {
    this.#chunks.push(Buffer.from(frame));
    this.#bytes += frame.length;
    while (this.#bytes > mostBytes) this.#bytes -= this.#chunks.shift()?.length ?? 0;
  }

  #forgetBefore(ms: number, format: AudioFormat): void {
    const most = ms * bytesAMs(format);
    while (this.#bytes > most && this.#chunks.length > 0) this.#bytes -= this.#chunks.shift()?.length ?? 0;
  }
}
