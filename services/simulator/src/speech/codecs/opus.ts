import { type Codec, sampleRate } from './codec.ts';
import { oggPage } from './ogg.ts';
import { tones } from './tones.ts';

const packets = tones.opus.map(packet => Buffer.from(packet, 'base64'));
/** At 48 kHz, in which Opus counts whatever it was made of. */
const packetSamples = 960;
const packetMs = 20;

/** Opus packets in an Ogg file, a page each. */
export const opus: Codec = {
  type: 'audio/opus',
  frameMs: packetMs,
  head: () => Buffer.concat([oggPage(opusHead(), 0), oggPage(opusTags(), 1)]),
  frame: (note, number, last) =>
    oggPage(packets[note] ?? Buffer.alloc(0), 2 + number, (number + 1) * packetSamples, last),
};

function opusHead(): Buffer {
  const head = Buffer.alloc(19);
  head.write('OpusHead', 0);
  // Its version and one channel.
  head.set([1, 1], 8);
  head.writeUInt32LE(sampleRate, 12);
  return head;
}

function opusTags(): Buffer {
  const vendor = Buffer.from('simulator');
  const tags = Buffer.alloc(8 + 4 + vendor.length + 4);
  tags.write('OpusTags', 0);
  tags.writeUInt32LE(vendor.length, 8);
  tags.set(vendor, 12);
  return tags;
}
