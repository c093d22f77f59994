import { inflateRawSync } from 'node:zlib';
import type { SpeechFormat } from '@model-gateway/formats';

/** One MP3 frame of a tone: 24 kHz, 32 kbit/s, 24 ms. It needs no frame before it, so it can be repeated. */
const mp3Frame = Buffer.from(
  '//NExAAM+lIUALhFcPXCIG2DByzCP2CDDMPX1c4y+uuWG/19X86/kr83+bv83+bPRv+v6uu//7cbjej7SCKfI9CYgpqKZlxiYGAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'base64',
);

/** One AAC frame of the same tone with its ADTS header: 24 kHz, 1024 samples. It can be repeated, too. */
const aacFrame = Buffer.from(
  '//FYQBCf/AD6NJC0gincLb9//7P2+//7/Mc9Te7vXPHcC6qVloAMDImawRk1ImpGKo7npFVi9FypqaamgUHFuuhm57n+lqP8KjSpSlqUpZSg9joqtKhQCh7GlKKlVKFKKV9ipSgVVPcK19wUrUABSla0qKhWlFKe5SlKVpWvulFa19yv',
  'base64',
);

/** An Ogg file with 160 ms of Opus. */
const opusFile = Buffer.from(
  'T2dnUwACAAAAAAAAAAABAAAAAAAAAMUarfcBE09wdXNIZWFkAQEAAMBdAAAAAABPZ2dTAAAAAAAAAAAAAAEAAAABAAAAygVaeAEZT3B1c1RhZ3MJAAAAc2ltdWxhdG9yAAAAAE9nZ1MAAMADAAAAAAAAAQAAAAIAAAAxVCT6ATy4rYB121oipcE5Mpb6e5RvjMP6kxBdgyPdFvvlSBfF0WsfJYiJHHOz9u4bQ3DEQyiXjU4NB4CW5q+F5axPZ2dTAACABwAAAAAAAAEAAAADAAAAXhJwAgE8uK2AddtaIqXBOTKW+nuUb4zD+pMQXYMj3Rb75UgXxdFrHyWIiRxzs/buG0NwxEMol41ODQeAluavheWsT2dnUwAAQAsAAAAAAAABAAAABAAAALfdefsBPLitgHXbWiKlwTkylvp7lG+Mw/qTEF2DI90W++VIF8XRax8liIkcc7P27htDcMRDKJeNTg0HgJbmr4XlrE9nZ1MAAAAPAAAAAAAAAQAAAAUAAADYmy0DATy4rYB121oipcE5Mpb6e5RvjMP6kxBdgyPdFvvlSBfF0WsfJYiJHHOz9u4bQ3DEQyiXjU4NB4CW5q+F5axPZ2dTAADAEgAAAAAAAAEAAAAGAAAAAq4KAwE8uK2AddtaIqXBOTKW+nuUb4zD+pMQXYMj3Rb75UgXxdFrHyWIiRxzs/buG0NwxEMol41ODQeAluavheWsT2dnUwAAgBYAAAAAAAABAAAABwAAAG3oXvsBPLitgHXbWiKlwTkylvp7lG+Mw/qTEF2DI90W++VIF8XRax8liIkcc7P27htDcMRDKJeNTg0HgJbmr4XlrE9nZ1MAAEAaAAAAAAAAAQAAAAgAAADtC/7sATy4rYB121oipcE5Mpb6e5RvjMP6kxBdgyPdFvvlSBfF0WsfJYiJHHOz9u4bQ3DEQyiXjU4NB4CW5q+F5axPZ2dTAAQAHgAAAAAAAAEAAAAJAAAAcRJTFwE8uK2AddtaIqXBOTKW+nuUb4zD+pMQXYMj3Rb75UgXxdFrHyWIiRxzs/buG0NwxEMol41ODQeAluavheWs',
  'base64',
);

/** A FLAC file with 60 ms of silence. */
const flacFile = inflateRawSync(
  Buffer.from(
    'S/NJdG5gYFBifMD4gAEMWO8wfGBgYF3AgAb+/yjnYGC8b8rEMApGwSgYsqDhACgrMzLejxvNyqNgFAxh8CYelJWZGO8/Hs3Ko2AUDGEQ+Q8A',
    'base64',
  ),
);

/** Samples a second of the simulator's speech: 16 bits, one channel. */
const sampleRate = 24_000;
const pcmFrameMs = 20;
const pcmFrame = toneFrame(400);
const maxBytes = 0xffffffff;

/** A format of speech: a head, one frame that is repeated, and a tail. */
export interface Codec {
  /** The content type. */
  type: string;
  frameMs: number;
  frame: Buffer;
  head(frames: number): Buffer;
  tail: Buffer;
}

const none = Buffer.alloc(0);
const pcm: Codec = framed('audio/pcm', pcmFrameMs, pcmFrame);

/** Opus and FLAC are short recordings, whatever the input. */
export const codecs: Record<SpeechFormat, Codec> = {
  mp3: framed('audio/mpeg', 24, mp3Frame),
  aac: framed('audio/aac', (1_024 / sampleRate) * 1_000, aacFrame),
  opus: recorded('audio/opus', opusFile),
  flac: recorded('audio/flac', flacFile),
  wav: { ...pcm, type: 'audio/wav', head: frames => wavHeader(frames * pcmFrame.length) },
  pcm,
};

/** PCM of 24 kHz that lasts for a number of milliseconds, in whole frames. */
export function tone(ms: number): Buffer {
  return Buffer.alloc(Math.floor(ms / pcmFrameMs) * pcmFrame.length, pcmFrame);
}

function framed(type: string, frameMs: number, frame: Buffer): Codec {
  return { type, frameMs, frame, head: () => none, tail: frame };
}

function recorded(type: string, file: Buffer): Codec {
  const [head, tail] = [file.subarray(0, -64), file.subarray(-64)];
  return { type, frameMs: pcmFrameMs, frame: none, head: () => head, tail };
}

/** A frame holds whole waves, so that repeated frames do not click. */
function toneFrame(hertz: number): Buffer {
  const frame = Buffer.alloc((sampleRate / 1_000) * pcmFrameMs * 2);
  for (let at = 0; at < frame.length / 2; at++)
    frame.writeInt16LE(Math.round(9_000 * Math.sin((2 * Math.PI * hertz * at) / sampleRate)), at * 2);
  return frame;
}

function wavHeader(dataBytes: number): Buffer {
  // PCM (1), one channel, bytes a second, two bytes a sample, 16 bits.
  const format = [16, 0x0001_0001, sampleRate, sampleRate * 2, 0x0010_0002];
  const head = Buffer.from('RIFF    WAVEfmt                     data    ');
  head.writeUInt32LE(Math.min(dataBytes + 36, maxBytes), 4);
  for (const [at, number] of format.entries()) head.writeUInt32LE(number, 16 + at * 4);
  head.writeUInt32LE(Math.min(dataBytes, maxBytes), 40);
  return head;
}
