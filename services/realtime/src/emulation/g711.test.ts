import { expect, test } from 'vitest';
import { AudioWriter } from './audio-format.ts';
import { decodeG711, encodeG711, type Law } from './g711.ts';

const codes = Uint8Array.from({ length: 256 }, (_, code) => code);

// From the tables of G.711, scaled to 16 bits.
test.each<[Law, number, number]>([
  ['ulaw', 0xff, 0],
  ['ulaw', 0x80, 32_124],
  ['ulaw', 0x00, -32_124],
  ['ulaw', 0xf0, 120],
  ['alaw', 0xd5, 8],
  ['alaw', 0x55, -8],
  ['alaw', 0xaa, 32_256],
  ['alaw', 0x2a, -32_256],
])('%s code %i is the sample %i', (law, code, sample) => {
  expect([...decodeG711(Uint8Array.of(code), law)]).toEqual([sample]);
  expect([...encodeG711(Int16Array.of(sample), law)]).toEqual([code]);
});

test.each<Law>(['ulaw', 'alaw'])('%s round-trips every code, and every sample within one step', law => {
  const samples = decodeG711(codes, law);
  const again = decodeG711(encodeG711(samples, law), law);
  expect([...again]).toEqual([...samples]);
  const all = Int16Array.from({ length: 65_536 }, (_, at) => at - 32_768);
  const far = decodeG711(encodeG711(all, law), law).findIndex((sample, i) => {
    const original = all[i] as number;
    return Math.abs(sample - original) > Math.max(8, Math.abs(original) / 16);
  });
  expect(far).toBe(-1);
});

test('audio at 8 kHz has a third of the samples, wherever the pieces are cut', () => {
  const tone = Buffer.alloc(480 * 6);
  for (let i = 0; i < tone.length / 2; i++) tone.writeInt16LE(Math.round(10_000 * Math.sin(i / 40)), 2 * i);
  const whole = new AudioWriter({ type: 'audio/pcmu' }).write(tone);
  expect(whole).toHaveLength(480);
  const writer = new AudioWriter({ type: 'audio/pcmu' });
  const pieces = [tone.subarray(0, 1), tone.subarray(1, 100), tone.subarray(100)].map(piece =>
    writer.write(piece),
  );
  expect(Buffer.concat(pieces)).toEqual(whole);
  const samples = decodeG711(whole, 'ulaw');
  for (const [i, sample] of samples.entries())
    expect(Math.abs(sample - 10_000 * Math.sin((3 * i + 1) / 40))).toBeLessThan(400);
});
