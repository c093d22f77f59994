import { crc32, deflateSync } from 'node:zlib';

export interface Size {
  width: number;
  height: number;
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

/** A PNG of one colour: eight bits a channel, with transparency only if the opacity is below 255. */
export function png({ width, height }: Size, [red, green, blue]: readonly number[], opaque = true): Buffer {
  const pixel = Buffer.from([red ?? 0, green ?? 0, blue ?? 0, ...(opaque ? [] : [0])]);
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(width * pixel.length, pixel)]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, opaque ? 2 : 6], 8);
  const rows = deflateSync(Buffer.alloc(height * row.length, row));
  return Buffer.concat([
    signature,
    block('IHDR', header),
    block('IDAT', rows),
    block('IEND', Buffer.alloc(0)),
  ]);
}

function block(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), data]);
  const bytes = Buffer.alloc(typed.length + 8);
  bytes.writeUInt32BE(data.length, 0);
  bytes.set(typed, 4);
  bytes.writeUInt32BE(crc32(typed), typed.length + 4);
  return bytes;
}

/** True if the bytes begin as a PNG, JPEG or WebP file does. */
export function isImage(bytes: Buffer): boolean {
  return /^(?:89504e470d0a1a0a|ffd8ff|52494646.{8}57454250)/.test(bytes.toString('hex', 0, 16));
}
