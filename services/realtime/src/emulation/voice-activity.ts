import type { RealtimeTurnDetection } from '@model-gateway/formats';

/** Length of the frames whose level is measured. */
const frameMs = 20;
/** Shortest loud period that counts as speech rather than a click. */
const minSpeechMs = 60;

/** Silence that ends a turn, by the eagerness of semantic VAD. */
const eagernessMs = { low: 2_000, medium: 1_000, auto: 1_000, high: 600 };

/** The beginning or end of speech, in milliseconds from the beginning of the audio. */
export interface SpeechEvent {
  type: 'started' | 'stopped';
  ms: number;
}

/** Detects speech by its loudness. */
export class VoiceActivity {
  readonly #rate: number;
  readonly #loud: number;
  readonly #silenceMs: number;
  /** Samples read of the current frame, and the sum of their squares. */
  #count = 0;
  #power = 0;
  #atMs: number;
  #loudMs = 0;
  #quietMs = 0;
  #speaking: boolean;

  /** `atMs` is the length of the audio before; `speaking` is true if that audio ended in speech. */
  constructor(detection: RealtimeTurnDetection, rate: number, atMs: number, speaking = false) {
    this.#rate = rate;
    this.#atMs = atMs;
    this.#speaking = speaking;
    const server = detection.type === 'server_vad';
    this.#loud = levelOf((server ? detection.threshold : null) ?? 0.5);
    this.#silenceMs = server
      ? (detection.silence_duration_ms ?? 500)
      : eagernessMs[detection.eagerness ?? 'auto'];
  }

  get speaking(): boolean {
    return this.#speaking;
  }

  /** Ends a turn without silence. */
  reset(): void {
    this.#speaking = false;
    this.#loudMs = 0;
  }

  read(samples: Int16Array): SpeechEvent[] {
    const events: SpeechEvent[] = [];
    const frame = (this.#rate * frameMs) / 1_000;
    let count = this.#count;
    let power = this.#power;
    for (let i = 0; i < samples.length; i++) {
      const sample = samples[i] as number;
      power += sample * sample;
      if (++count < frame) continue;
      const event = this.#measure(Math.sqrt(power / frame));
      if (event) events.push(event);
      count = power = 0;
    }
    this.#count = count;
    this.#power = power;
    return events;
  }

  #measure(level: number): SpeechEvent | undefined {
    this.#atMs += frameMs;
    const loud = level >= this.#loud;
    this.#loudMs = loud ? this.#loudMs + frameMs : 0;
    this.#quietMs = loud ? 0 : this.#quietMs + frameMs;
    if (!this.#speaking && this.#loudMs >= minSpeechMs) {
      this.#speaking = true;
      return { type: 'started', ms: this.#atMs - this.#loudMs };
    }
    if (!this.#speaking || this.#quietMs < Math.max(this.#silenceMs, frameMs)) return undefined;
    this.#speaking = false;
    return { type: 'stopped', ms: this.#atMs };
  }
}

/** Converts a threshold to a level: 0 is -60 dB of full scale, 0.5 is -40 dB, 1 is -20 dB. */
function levelOf(threshold: number): number {
  return 32_768 * 10 ** ((40 * threshold - 60) / 20);
}
