import { crc32, deflateSync } from 'node:zlib';
import { wav as soundOf } from '../clients/audio.ts';

/** A second of silence, in base64. */
export const wav = soundOf(1).toString('base64');

/** A picture of noise in base64, which is too long to stay in the code. */
export const png = pngOf(24).toString('base64');

function pngOf(size: number): Buffer {
  const row = size * 3 + 1;
  const pixels = Buffer.alloc(row * size);
  for (let at = 0; at < pixels.length; at++) pixels[at] = at % row === 0 ? 0 : (at * 2_654_435_761) >>> 24;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const whole = Buffer.alloc(named.length + 8);
  whole.writeUInt32BE(data.length, 0);
  named.copy(whole, 4);
  whole.writeUInt32BE(crc32(named), named.length + 4);
  return whole;
}
