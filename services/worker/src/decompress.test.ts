import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decompressorOf } from './body-form.ts';

const numbers = Array.from({ length: 5_000 }, (_, i) => (i * 7_919) % 100_003);
const text = `data: {"a":"žluť 🐎","b":[${numbers}]}\n\n`;

/** Decompresses bytes that arrive in chunks of a size; null if they are not taken for compressed. */
async function decompressed(encoding: string | string[] | undefined, bytes: Buffer, size: number) {
  const decompressor = decompressorOf(encoding, bytes.subarray(0, size));
  if (!decompressor) return null;
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size)
    for await (const piece of decompressor.add(bytes.subarray(at, at + size))) pieces.push(piece);
  for await (const piece of decompressor.end()) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const ways: [string | string[] | undefined, Buffer][] = [
  ['gzip', gzipSync(text)],
  ['x-gzip', gzipSync(text)],
  [' GZip ', gzipSync(text)],
  [['identity', 'gzip'], gzipSync(text)],
  [undefined, gzipSync(text)],
  ['identity', gzipSync(text)],
  ['deflate', deflateSync(text)],
  ['deflate', deflateRawSync(text)],
  ['br', brotliCompressSync(text)],
  ['zstd', zstdCompressSync(text)],
];

test.each(ways)('a body with the encoding %j is decompressed', async (encoding, bytes) => {
  for (const size of [100, bytes.length]) expect(await decompressed(encoding, bytes, size)).toBe(text);
});

test.each(['gzip', 'deflate', 'br', 'zstd', 'compress', 'gzip, br', undefined])(
  'a plain body is taken as it is, though it is labelled %j',
  async encoding => {
    for (const plain of ['data: {}\n\n', ' {"a":1}', '[{"a":1}]'])
      expect(await decompressed(encoding, Buffer.from(plain), 1e9)).toBeNull();
  },
);

test.each([
  ['gzip', gzipSync(text)],
  ['deflate', deflateSync(text)],
  ['br', brotliCompressSync(text)],
])('of a body of %s that ends early, what came is read', async (encoding, bytes) => {
  const part = await decompressed(encoding, bytes.subarray(0, bytes.length - 10), 1e9);
  expect(part).not.toBe('');
  expect(text.startsWith(part ?? '-')).toBe(true);
});

test('a body that is not what its first bytes say is an error of the upstream', async () => {
  const broken = gzipSync(text).fill(0xff, 20, 60);
  await expect(decompressed('gzip', broken, 1e9)).rejects.toMatchObject({
    kind: 'upstream',
    message: 'The upstream sent a compressed response that cannot be read.',
  });
});

test('a body that grows too much is an error of the upstream', async () => {
  await expect(decompressed('gzip', gzipSync(Buffer.alloc(20_000_000)), 1e9)).rejects.toMatchObject({
    kind: 'upstream',
    message: 'The upstream sent a response that is too large after decompression.',
  });
});

test('a body that is closed ends', async () => {
  const bytes = gzipSync(text);
  const decompressor = decompressorOf('gzip', bytes);
  const pieces: Buffer[] = [];
  for await (const piece of decompressor?.add(bytes) ?? []) {
    pieces.push(piece);
    decompressor?.close();
  }
  expect(pieces).toHaveLength(1);
});
