import { type Codec, sampleRate } from './codec.ts';
import { pcm, pcmFrame } from './pcm.ts';

const mostBytes = 0xffffffff;

/** PCM behind a RIFF header. */
export const wav: Codec = {
  ...pcm,
  type: 'audio/wav',
  head: frames => riff(frames * pcmFrame * 2),
};

function riff(dataBytes: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(Math.min(dataBytes + 36, mostBytes), 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(sampleRate, 24);
  head.writeUInt32LE(sampleRate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(Math.min(dataBytes, mostBytes), 40);
  return head;
}
