import { type Codec, sampleRate } from './codec.ts';
import { createCrc } from './crc.ts';
import { pcm, pcmFrame } from './pcm.ts';

const crc8 = createCrc(8, 0x07);
const crc16 = createCrc(16, 0x8005);

/** Samples as they are, in FLAC's frames. */
export const flac: Codec = {
  ...pcm,
  type: 'audio/flac',
  head: frames => Buffer.concat([Buffer.from('fLaC'), streamInfo(frames * pcmFrame)]),
  frame: (note, number, last) => frameOf(pcm.frame(note, number, last), number),
};

function streamInfo(samples: number): Buffer {
  const block = Buffer.alloc(4 + 34);
  // The last block of metadata, and its length.
  block.writeUInt32BE(0x80000022, 0);
  block.writeUInt16BE(pcmFrame, 4);
  block.writeUInt16BE(pcmFrame, 6);
  // 20 bits of sample rate, 3 of channels - 1, 5 of bits a sample - 1, 36 of samples.
  block.writeBigUInt64BE((BigInt(sampleRate) << 44n) | (15n << 36n) | BigInt(samples), 14);
  return block;
}

function frameOf(samples: Buffer, number: number): Buffer {
  // 24 kHz, one channel of 16 bits, the frame's length at the end of the header.
  const head = Buffer.from([0xff, 0xf8, 0x77, 0x08, ...coded(number), 0, 0, 0]);
  head.writeUInt16BE(pcmFrame - 1, head.length - 3);
  head[head.length - 1] = crc8(head.subarray(0, -1));
  // 2 says that the samples are verbatim.
  const frame = Buffer.concat([head, Buffer.of(2), Buffer.from(samples).swap16(), Buffer.alloc(2)]);
  frame.writeUInt16BE(crc16(frame.subarray(0, -2)), frame.length - 2);
  return frame;
}

/** A number as UTF-8 would write it, of which FLAC allows up to 31 bits. */
function coded(number: number): number[] {
  if (number < 0x80) return [number];
  const rest: number[] = [];
  let left = number;
  let room = 0x40;
  while (left >= room || rest.length === 0) {
    rest.unshift(0x80 | (left & 0x3f));
    left >>>= 6;
    room = 0x40 >> rest.length;
  }
  return [((0xff00 >> (rest.length + 1)) & 0xff) | left, ...rest];
}
