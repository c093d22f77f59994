import type { RealtimeAudioFormat } from '@model-gateway/wire';
import { rateOf, samplesOf } from './format.ts';

const headBytes = 44;

/** Audio as a WAV file of 16 bits a sample. */
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

function pcmBytes(samples: Int16Array): Buffer {
  const bytes = Buffer.alloc(2 * samples.length);
  for (const [i, sample] of samples.entries()) bytes.writeInt16LE(sample, 2 * i);
  return bytes;
}
