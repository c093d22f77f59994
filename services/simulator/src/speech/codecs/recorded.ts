import { type Codec, sampleRate } from './codec.ts';
import { tones } from './tones.ts';

/** Frames that stand on their own, one after another. */
export const mp3 = recorded('audio/mpeg', 576, tones.mp3);
export const aac = recorded('audio/aac', 1_024, tones.aac);

function recorded(type: string, samples: number, base64: readonly string[]): Codec {
  const frames = base64.map(frame => Buffer.from(frame, 'base64'));
  return {
    type,
    frameMs: (samples * 1_000) / sampleRate,
    head: () => Buffer.alloc(0),
    frame: note => frames[note] ?? Buffer.alloc(0),
  };
}
