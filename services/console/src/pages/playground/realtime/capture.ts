import { Resampler, samplesPerSecond } from './pcm.ts';

/** The parts of an AudioWorkletGlobalScope that are used here; TypeScript has no types for it. */
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare const sampleRate: number;
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

/** Messages have this many samples: 40 ms. */
const samplesPerMessage = 960;

/** Runs in the audio thread: posts what the microphone hears as 16-bit samples. */
class Capture extends AudioWorkletProcessor {
  readonly #resampler = new Resampler(sampleRate, samplesPerSecond);
  #message = new Int16Array(samplesPerMessage);
  #filled = 0;

  process([input]: Float32Array[][]): boolean {
    const channel = input?.[0];
    if (channel) for (const sample of this.#resampler.push(channel)) this.#add(sample);
    return true;
  }

  #add(sample: number): void {
    this.#message[this.#filled++] = sample;
    if (this.#filled < samplesPerMessage) return;
    this.port.postMessage(this.#message.buffer, [this.#message.buffer]);
    this.#message = new Int16Array(samplesPerMessage);
    this.#filled = 0;
  }
}

registerProcessor('capture', Capture);
