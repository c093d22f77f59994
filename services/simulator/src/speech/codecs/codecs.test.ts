import { describe, expect, test } from 'vitest';
import type { Codec } from './codec.ts';
import { createCrc } from './crc.ts';
import { codecs } from './index.ts';

const notes = [1, 1, 2, 0, 8, 3, 3, 3];

function fileOf(codec: Codec, song: number[] = notes): Buffer {
  const frames = song.map((note, at) => codec.frame(note, at, at === song.length - 1));
  return Buffer.concat([codec.head(song.length), ...frames]);
}

test('check sums are those of the standards', () => {
  const text = Buffer.from('123456789');
  expect(createCrc(8, 0x07)(text)).toBe(0xf4);
  expect(createCrc(16, 0x8005)(text)).toBe(0xfee8);
  expect(createCrc(32, 0x04c11db7)(text)).toBe(0x89a1897f);
});

test('PCM holds whole waves of the note: their height, and how often they rise', () => {
  const { pcm } = codecs;
  for (const [note, pitch] of [0, 250, 300, 350, 400, 450, 500, 600, 650].entries()) {
    const frame = pcm.frame(note, 0, false);
    expect(frame).toHaveLength(960);
    const samples = Array.from({ length: 480 }, (_, at) => frame.readInt16LE(at * 2));
    const rises = samples.filter((sample, at) => sample >= 0 && (samples.at(at - 1) ?? 0) < 0).length;
    expect(rises * 50).toBe(pitch);
    expect(Math.max(...samples)).toBeCloseTo(note === 0 ? 0 : 9_000, -3);
  }
});

test('WAV says what it holds', () => {
  const file = fileOf(codecs.wav);
  expect(file.toString('latin1', 0, 4) + file.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ');
  expect(file.readUInt32LE(4)).toBe(file.length - 8);
  // PCM, one channel, samples and bytes a second, bytes and bits a sample.
  expect([20, 22, 32, 34].map(at => file.readUInt16LE(at))).toEqual([1, 1, 2, 16]);
  expect([24, 28].map(at => file.readUInt32LE(at))).toEqual([24_000, 48_000]);
  expect(file.readUInt32LE(40)).toBe(file.length - 44);
  expect(file.subarray(44)).toEqual(fileOf(codecs.pcm));
});

test('MP3 is frames of 96 bytes, 24 ms each, that need no other', () => {
  const file = fileOf(codecs.mp3);
  expect(codecs.mp3.frameMs).toBe(24);
  expect(file).toHaveLength(notes.length * 96);
  for (let at = 0; at < file.length; at += 96) {
    // MPEG-2, layer III, 32 kbit/s, 24 kHz, mono, no padding.
    expect(file.readUInt32BE(at) & 0xfffffec0).toBe(0xfff344c0 | 0);
    // Its data begin in this frame.
    expect(file[at + 4]).toBe(0);
  }
});

test('AAC is ADTS frames of 1024 samples', () => {
  const file = fileOf(codecs.aac);
  expect(codecs.aac.frameMs).toBeCloseTo(42.67, 2);
  let count = 0;
  let at = 0;
  for (; at < file.length; count++) {
    // No check sum; low complexity, 24 kHz, one channel; one block.
    expect(file.readUInt16BE(at)).toBe(0xfff1);
    expect(file.readUInt16BE(at + 2) & 0xffc0).toBe(0x5840);
    expect((file[at + 6] ?? 0) & 3).toBe(0);
    at += ((file.readUInt32BE(at + 3) >>> 13) & 0x1fff) >>> 0;
  }
  expect([count, at]).toEqual([notes.length, file.length]);
});

describe('Opus', () => {
  const file = fileOf(codecs.opus);
  const pages = pagesOf(file);

  test('is pages with their number, place and check sum', () => {
    const crc = createCrc(32, 0x04c11db7);
    for (const [number, page] of pages.entries()) {
      expect(page.readUInt32LE(18)).toBe(number);
      const plain = Buffer.from(page);
      plain.writeUInt32LE(0, 22);
      expect(page.readUInt32LE(22)).toBe(crc(plain));
    }
    const places = pages.map(page => Number(page.readBigUInt64LE(6)));
    expect(places).toEqual([0, 0, ...notes.map((_, at) => (at + 1) * 960)]);
    expect(pages.map(page => page[5])).toEqual([2, ...notes.map(() => 0), 4]);
  });

  test('is its two heads and then packets of 20 ms', () => {
    const packets = pages.map(page => page.subarray(28));
    expect(packets[0]?.toString('latin1', 0, 8)).toBe('OpusHead');
    expect([packets[0]?.[9], packets[0]?.readUInt32LE(12)]).toEqual([1, 24_000]);
    expect(packets[1]?.toString('latin1', 0, 8)).toBe('OpusTags');
    for (const packet of packets.slice(2)) {
      // CELT of 20 ms, mono, one frame a packet.
      expect((packet[0] ?? 0) & 0x87).toBe(0x80);
      expect(((packet[0] ?? 0) >> 3) & 3).toBe(3);
    }
  });
});

describe('FLAC', () => {
  test('says what it holds', () => {
    const file = fileOf(codecs.flac);
    expect(file.toString('latin1', 0, 4)).toBe('fLaC');
    expect(file.readUInt32BE(4)).toBe(0x80000022);
    const info = file.readBigUInt64BE(18);
    expect([info >> 44n, (info >> 41n) & 7n, (info >> 36n) & 31n]).toEqual([24_000n, 0n, 15n]);
    expect(info & 0xfffffffffn).toBe(BigInt(notes.length * 480));
  });

  test.each([
    [0, [0x00]],
    [0x7f, [0x7f]],
    [0x80, [0xc2, 0x80]],
    [0x7ff, [0xdf, 0xbf]],
    [0x800, [0xe0, 0xa0, 0x80]],
    [0xd800, [0xed, 0xa0, 0x80]],
    [0x1ffff, [0xf0, 0x9f, 0xbf, 0xbf]],
    [0x200000, [0xf8, 0x88, 0x80, 0x80, 0x80]],
  ])('frame %i has its number, its samples and its check sums', (number, coded) => {
    const frame = codecs.flac.frame(5, number, false);
    const head = 4 + coded.length + 2;
    expect([...frame.subarray(0, head)]).toEqual([0xff, 0xf8, 0x77, 0x08, ...coded, 0x01, 0xdf]);
    expect(frame[head]).toBe(createCrc(8, 0x07)(frame.subarray(0, head)));
    expect(frame[head + 1]).toBe(2);
    const samples = Buffer.from(frame.subarray(head + 2, -2)).swap16();
    expect(samples).toEqual(codecs.pcm.frame(5, 0, false));
    expect(frame.readUInt16BE(frame.length - 2)).toBe(createCrc(16, 0x8005)(frame.subarray(0, -2)));
  });
});

function pagesOf(file: Buffer): Buffer[] {
  const pages: Buffer[] = [];
  for (let at = 0; at < file.length; ) {
    expect(file.toString('latin1', at, at + 4)).toBe('OggS');
    expect(file[at + 26]).toBe(1);
    const end = at + 28 + (file[at + 27] ?? 0);
    pages.push(file.subarray(at, end));
    at = end;
  }
  return pages;
}
