import type { SpeechFormat } from '@model-gateway/wire';
import { aacFrame, flacFile, mp3Frame, opusFile } from './recordings.ts';

/** Samples a second of everything that the simulator speaks: 16 bits, one channel. */
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

/** Opus and FLAC are short recordings, however much is spoken. */
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
  const end = file.length - 64;
  return {
    type,
    frameMs: pcmFrameMs,
    frame: none,
    head: () => file.subarray(0, end),
    tail: file.subarray(end),
  };
}

/** A frame holds whole waves, so that repeated frames do not click. */
function toneFrame(hertz: number): Buffer {
  const frame = Buffer.alloc((sampleRate / 1_000) * pcmFrameMs * 2);
  for (let at = 0; at < frame.length / 2; at++)
    frame.writeInt16LE(Math.round(9_000 * Math.sin((2 * Math.PI * hertz * at) / sampleRate)), at * 2);
  return frame;
}

function wavHeader(dataBytes: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(Math.min(dataBytes + 36, maxBytes), 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(sampleRate, 24);
  head.writeUInt32LE(sampleRate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(Math.min(dataBytes, maxBytes), 40);
  return head;
}
