import { expect, test } from 'vitest';
import { Resampler } from './pcm.ts';

/** A tone of 440 Hz in blocks of 128 samples, as an AudioWorklet gets them. */
function blocksOf(rate: number, seconds: number): Float32Array[] {
  const count = Math.floor((rate * seconds) / 128);
  return Array.from({ length: count }, (_, block) =>
    Float32Array.from({ length: 128 }, (_, at) => Math.sin((2 * Math.PI * 440 * (block * 128 + at)) / rate)),
  );
}

test.each([48_000, 44_100, 24_000, 16_000, 8_000])('a tone at %i Hz is the same tone at 24,000 Hz', rate => {
  const resampler = new Resampler(rate, 24_000);
  const samples = blocksOf(rate, 1).flatMap(block => [...resampler.push(block)]);
  expect(samples.length).toBeGreaterThan(23_500);
  expect(samples.length).toBeLessThanOrEqual(24_000);
  // The mean of a stretch is its value in the middle.
  const late = Math.max(0, (1 - 24_000 / rate) / 2);
  const tone = (at: number) => Math.sin((2 * Math.PI * 440 * (at + late)) / 24_000);
  const worst = Math.max(...samples.map((sample, at) => Math.abs(sample / 0x7fff - tone(at))));
  expect(worst).toBeLessThan(0.08);
});
