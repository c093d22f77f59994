import { createCrc } from './crc.ts';

const crc32 = createCrc(32, 0x04c11db7);
const headBytes = 28;
const first = 2;
const end = 4;

/** A page of one packet of less than 255 bytes; `samples` are those of the file up to its end. */
export function oggPage(packet: Buffer, number: number, samples = 0, last = false): Buffer {
  const page = Buffer.concat([Buffer.alloc(headBytes), packet]);
  page.write('OggS', 0);
  page[5] = (number === 0 ? first : 0) | (last ? end : 0);
  page.writeBigUInt64LE(BigInt(samples), 6);
  page.writeUInt32LE(1, 14);
  page.writeUInt32LE(number, 18);
  page.set([1, packet.length], headBytes - 2);
  page.writeUInt32LE(crc32(page), 22);
  return page;
}
