import type { RealtimeTurnDetection } from '@model-gateway/wire';

/** How much is looked at at once. */
const frameMs = 20;
/** How long it must be loud before that is speech, not a click. */
const minSpeechMs = 60;

/** How long a silence ends a turn, by how eager the model is to answer. */
const eagernessMs = { low: 2_000, medium: 1_000, auto: 1_000, high: 600 };

/** What was heard, and how long after the audio's beginning. */
export interface Heard {
  type: 'started' | 'stopped';
  ms: number;
}

/** Tells speech from silence by how loud it is. */
export class VoiceActivity {
  readonly #rate: number;
  readonly #loud: number;
  readonly #silenceMs: number;
  /** Of the frame that is being read: how many samples, and the sum of their squares. */
  #count = 0;
  #power = 0;
  #atMs: number;
  #loudMs = 0;
  #quietMs = 0;
  #speaking: boolean;

  /** `atMs`: how much audio came before; `speaking`: whether it ended in the midst of speech. */
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

  /** The turn has ended without a silence. */
  reset(): void {
    this.#speaking = false;
    this.#loudMs = 0;
  }

  read(samples: Int16Array): Heard[] {
    const heard: Heard[] = [];
    const frame = (this.#rate * frameMs) / 1_000;
    let count = this.#count;
    let power = this.#power;
    for (let i = 0; i < samples.length; i++) {
      const sample = samples[i] as number;
      power += sample * sample;
      if (++count < frame) continue;
      const found = this.#look(Math.sqrt(power / frame));
      if (found) heard.push(found);
      count = power = 0;
    }
    this.#count = count;
    this.#power = power;
    return heard;
  }

  #look(level: number): Heard | undefined {
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

/** A threshold of 0 is -60 dB of the loudest, 0.5 is -40 dB, 1 is -20 dB. */
function levelOf(threshold: number): number {
  return 32_768 * 10 ** ((40 * threshold - 60) / 20);
}
