import { expect, test } from 'vitest';
import { type Figures, figuresOf, medians } from './figures.ts';

const hundred = Array.from({ length: 101 }, (_, i) => i);

test("CPU is given per request, and the target's share is all processes but the simulator", () => {
  const seen = { seconds: 2, firstMs: hundred, endMs: hundred.map(ms => ms * 10), gapsMs: hundred };
  const figures = figuresOf(seen, { simulator: 202, front: 101, worker: 303 }, 500);
  expect(figures).toEqual({
    requestsPerSecond: 50.5,
    firstMs: { p50: 50, p99: 99 },
    endMs: { p50: 500, p99: 990 },
    gapMs: { p50: 50, p99: 99 },
    simulatorCpuMs: 2,
    cpuMs: { front: 1, worker: 3 },
    totalCpuMs: 4,
    peakMb: 500,
  });
});

test('an outlier round does not count, but for memory', () => {
  const round = (n: number): Figures => ({
    requestsPerSecond: n,
    firstMs: { p50: n, p99: n },
    endMs: { p50: n, p99: n },
    gapMs: { p50: n, p99: n },
    simulatorCpuMs: n,
    cpuMs: { front: n },
    totalCpuMs: n,
    peakMb: n,
  });
  expect(medians([round(3), round(100), round(2)])).toEqual({ ...round(3), peakMb: 100 });
  expect(medians([round(3), round(4)])).toEqual({ ...round(3.5), peakMb: 4 });
});
