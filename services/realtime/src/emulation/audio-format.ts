import type { RealtimeAudioFormat } from '@model-gateway/formats';
import { invalid } from './check.ts';
import { decodeG711, encodeG711, type Law } from './g711.ts';

const laws: Partial<Record<RealtimeAudioFormat['type'], Law>> = {
  'audio/pcmu': 'ulaw',
  'audio/pcma': 'alaw',
};

/** Returns the sample rate, in Hz. */
export function rateOf({ type }: RealtimeAudioFormat): number {
  return type === 'audio/pcm' ? 24_000 : 8_000;
}

export function bytesPerMs({ type }: RealtimeAudioFormat): number {
  return type === 'audio/pcm' ? 48 : 8;
}

/** Decodes bytes to samples; half a sample at the end is left out. */
export function samplesOf(bytes: Buffer, { type }: RealtimeAudioFormat): Int16Array {
  const law = laws[type];
  return law ? decodeG711(bytes, law) : pcmSamples(bytes);
}

/** Decodes 16-bit little-endian samples. */
function pcmSamples(bytes: Buffer): Int16Array {
  const samples = new Int16Array(bytes.length >> 1);
  for (let i = 0; i < samples.length; i++)
    samples[i] = (bytes[2 * i] as number) | ((bytes[2 * i + 1] as number) << 8);
  return samples;
}

/** Converts 16-bit PCM at 24 kHz, in pieces cut anywhere, to a client's format. */
export class AudioWriter {
  readonly #law: Law | undefined;
  #rest = Buffer.alloc(0);

  constructor({ type }: RealtimeAudioFormat) {
    this.#law = laws[type];
  }

  write(bytes: Buffer): Buffer {
    // Three samples at 24 kHz become one at 8 kHz.
    const step = this.#law ? 6 : 2;
    const all = this.#rest.length > 0 ? Buffer.concat([this.#rest, bytes]) : bytes;
    const whole = all.length - (all.length % step);
    this.#rest = Buffer.from(all.subarray(whole));
    const audio = all.subarray(0, whole);
    return this.#law ? encodeG711(thirds(audio), this.#law) : audio;
  }
}

/** Averages every three samples, which damps frequencies too high for 8 kHz. */
function thirds(bytes: Buffer): Int16Array {
  const samples = new Int16Array(bytes.length / 6);
  for (let i = 0; i < samples.length; i++) {
    const at = 6 * i;
    samples[i] = (bytes.readInt16LE(at) + bytes.readInt16LE(at + 2) + bytes.readInt16LE(at + 4)) / 3;
  }
  return samples;
}

/** @throws GatewayError of kind `invalid-request` if the text is not base64 */
export function bytesOf(base64: string, param: string): Buffer {
  if (!/^[\w+/-]*={0,2}\s*$/.test(base64))
    throw invalid(param, `Invalid '${param}': expected base64-encoded audio.`);
  return Buffer.from(base64, 'base64');
}

const headBytes = 44;

/** Returns the size of {@link wavOf}, in bytes. */
export function wavSize({ length }: Buffer, { type }: RealtimeAudioFormat): number {
  return headBytes + (type === 'audio/pcm' ? length : 2 * length);
}

/** Returns audio as a 16-bit WAV file. */
export function wavOf(bytes: Buffer, format: RealtimeAudioFormat): Buffer {
  const data = format.type === 'audio/pcm' ? bytes : pcmBytes(samplesOf(bytes, format));
  const rate = rateOf(format);
  const head = Buffer.alloc(headBytes);
  head.write('RIFF', 0);
  head.writeUInt32LE(headBytes - 8 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(2 * rate, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

/** Returns the bytes of samples in the same memory: every machine that Node runs on is little-endian. */
function pcmBytes({ buffer, byteOffset, byteLength }: Int16Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
