import { hash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

export interface Size {
  width: number;
  height: number;
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

/** A PNG of one colour with eight bits a channel, opaque or fully transparent. */
export function png({ width, height }: Size, colour: string, opaque = true): Buffer {
  const pixel = Buffer.from(opaque ? colour : `${colour}00`, 'hex');
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(width * pixel.length, pixel)]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, opaque ? 2 : 6], 8);
  const rows = deflateSync(Buffer.alloc(height * row.length, row));
  const blocks = [block('IHDR', header), block('IDAT', rows), block('IEND', Buffer.alloc(0))];
  return Buffer.concat([signature, ...blocks]);
}

function block(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), data]);
  const bytes = Buffer.alloc(typed.length + 8);
  bytes.writeUInt32BE(data.length, 0);
  bytes.set(typed, 4);
  bytes.writeUInt32BE(crc32(typed), typed.length + 4);
  return bytes;
}

/** A colour in hexadecimal. The same prompt always has the same colour; the images of one answer differ. */
export function colourOf(prompt: string, index = 0): string {
  return hash('sha256', `${index} ${prompt}`).slice(0, 6);
}

/** True if the bytes begin as a PNG, JPEG or WebP file does. */
export function isImage(bytes: Buffer): boolean {
  return /^(?:89504e470d0a1a0a|ffd8ff|52494646.{8}57454250)/.test(bytes.toString('hex', 0, 16));
}
