import { type Codec, sampleRate } from './codec.ts';

/** Silence, and the hertz of the notes: as every frame holds whole waves, none begins with a click. */
const pitches = [0, 250, 300, 350, 400, 450, 500, 600, 650];
const frameMs = 20;
const loudness = 9_000;
/** Samples in a frame. */
export const pcmFrame = (sampleRate * frameMs) / 1_000;
const frames = pitches.map(tone);

/** 16-bit little-endian samples of one channel, without a header. */
export const pcm: Codec = {
  type: 'audio/pcm',
  frameMs,
  head: () => Buffer.alloc(0),
  frame: note => frames[note] ?? Buffer.alloc(pcmFrame * 2),
};

function tone(pitch: number): Buffer {
  const frame = Buffer.alloc(pcmFrame * 2);
  for (let at = 0; at < pcmFrame; at++)
    frame.writeInt16LE(Math.round(loudness * Math.sin((2 * Math.PI * pitch * at) / sampleRate)), at * 2);
  return frame;
}
