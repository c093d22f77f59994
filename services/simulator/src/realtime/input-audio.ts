import type { RealtimeTranscriptUsage } from '@model-gateway/wire';
import type { TurnDetection } from './request.ts';

/** Speech that began or ended. `atMs` counts from the start of the session, `audioMs` is the length of the turn. */
export type Turn = { kind: 'started'; atMs: number } | { kind: 'stopped'; atMs: number; audioMs: number };

/** 16 bits a sample at 24 kHz. */
export const bytesPerMs = 48;
const frameMs = 20;
const frameBytes = frameMs * bytesPerMs;
const msPerToken = 100;
/** The loudness from which audio is speech, at a threshold of 1. */
const speechLoudness = 0.04;
/** The silence that ends a turn in semantic detection. */
const pauses = { low: 2_000, medium: 1_000, auto: 1_000, high: 500 };

/** The audio that a client sent and did not commit. Only its length is kept. */
export class InputAudio {
  /** The bytes after the last whole frame. */
  #rest = Buffer.alloc(0);
  #bufferedMs = 0;
  #clockMs = 0;
  #speaking = false;
  #silentMs = 0;

  get ms(): number {
    return this.#bufferedMs + this.#rest.length / bytesPerMs;
  }

  /** Adds audio and returns the turns that it begins and ends, by its loudness. */
  append(audio: Buffer, detection: TurnDetection | null): Turn[] {
    const all = Buffer.concat([this.#rest, audio]);
    const whole = all.length - (all.length % frameBytes);
    this.#rest = Buffer.from(all.subarray(whole));
    const turns: Turn[] = [];
    for (let at = 0; at < whole; at += frameBytes) {
      this.#bufferedMs += frameMs;
      this.#clockMs += frameMs;
      const turn = detection && this.#detect(all.subarray(at, at + frameBytes), detection);
      if (turn) turns.push(turn);
    }
    return turns;
  }

  clear(): void {
    this.#rest = Buffer.alloc(0);
    this.#bufferedMs = 0;
    this.#speaking = false;
    this.#silentMs = 0;
  }

  #detect(frame: Buffer, detection: TurnDetection): Turn | null {
    const [threshold, prefixMs, pauseMs] =
      detection.type === 'server_vad'
        ? [detection.threshold, detection.prefix_padding_ms, detection.silence_duration_ms]
        : [0.5, 300, pauses[detection.eagerness]];
    const loud = loudness(frame) > speechLoudness * threshold;
    this.#silentMs = loud ? 0 : this.#silentMs + frameMs;
    if (!this.#speaking) {
      this.#bufferedMs = Math.min(this.#bufferedMs, prefixMs + frameMs);
      if (!loud) return null;
      this.#speaking = true;
      return { kind: 'started', atMs: Math.max(0, this.#clockMs - frameMs - prefixMs) };
    }
    if (this.#silentMs < Math.max(pauseMs, frameMs)) return null;
    const audioMs = this.#bufferedMs;
    this.#bufferedMs = 0;
    this.#speaking = false;
    return { kind: 'stopped', atMs: this.#clockMs, audioMs };
  }
}

/** From 0 to 1: the root of the mean of the squares. */
function loudness(frame: Buffer): number {
  let sum = 0;
  for (let at = 0; at < frame.length; at += 2) sum += frame.readInt16LE(at) ** 2;
  return Math.sqrt(sum / (frame.length / 2)) / 32_768;
}

export function audioTokens(ms: number): number {
  return Math.ceil(ms / msPerToken);
}

/** The usage of a transcript of audio of a length. */
export function transcriptUsage(ms: number, words: number): RealtimeTranscriptUsage {
  const audio = audioTokens(ms);
  return {
    type: 'tokens',
    total_tokens: audio + words,
    input_tokens: audio,
    input_token_details: { text_tokens: 0, audio_tokens: audio },
    output_tokens: words,
  };
}
