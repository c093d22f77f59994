/** The audio of a session: samples of 16 bits in one channel, little-endian, at this rate. */
export const samplesPerSecond = 24_000;

/** Decodes base64 of 16-bit samples to samples between -1 and 1. An odd byte at the end is dropped. */
export function samplesOf(base64: string): Float32Array<ArrayBuffer> {
  const bytes = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const samples = new Float32Array(bytes.length >> 1);
  for (let at = 0; at < samples.length; at++) samples[at] = view.getInt16(at * 2, true) / 0x8000;
  return samples;
}

/** Encodes bytes as base64. */
export function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

/**
 * Converts samples between -1 and 1 of any rate to 16-bit samples at another rate. Each sample is the mean of those that it stands
 * for, or lies on the line between two if the rate rises. What is left over is part of the next call.
 */
export class Resampler {
  readonly #step: number;
  #left: Float32Array = new Float32Array(0);
  /** The position of the next sample in `#left`. */
  #at = 0;

  constructor(from: number, to: number) {
    this.#step = from / to;
  }

  push(samples: Float32Array): Int16Array<ArrayBuffer> {
    const all = new Float32Array(this.#left.length + samples.length);
    all.set(this.#left);
    all.set(samples, this.#left.length);
    const step = this.#step;
    const width = Math.max(step, 1);
    const count = Math.max(0, Math.floor((all.length - 1 - width - this.#at) / step) + 1);
    const made = new Int16Array(count);
    for (let place = 0; place < count; place++) {
      const value = step > 1 ? mean(all, this.#at, width) : between(all, this.#at);
      made[place] = Math.round(Math.max(-1, Math.min(1, value)) * 0x7fff);
      this.#at += step;
    }
    const used = Math.min(Math.floor(this.#at), all.length);
    this.#left = all.slice(used);
    this.#at -= used;
    return made;
  }
}

/** Returns the mean over a stretch, at whose ends samples count in part. */
function mean(samples: Float32Array, from: number, width: number): number {
  const until = from + width;
  let sum = 0;
  for (let at = Math.floor(from); at < until; at++) {
    const part = Math.min(until, at + 1) - Math.max(from, at);
    sum += (samples[at] ?? 0) * part;
  }
  return sum / width;
}

function between(samples: Float32Array, at: number): number {
  const first = Math.floor(at);
  const share = at - first;
  return (samples[first] ?? 0) * (1 - share) + (samples[first + 1] ?? 0) * share;
}
