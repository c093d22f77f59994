import { expect, test } from 'vitest';
import { type Figures, figuresOf, medians } from './figures.ts';

const hundred = Array.from({ length: 101 }, (_, i) => i);

test("CPU is given per request, and the gateway's share is all processes but the simulator", () => {
  const seen = { seconds: 2, firstMs: hundred, endMs: hundred.map(ms => ms * 10) };
  const figures = figuresOf(seen, { simulator: 202, front: 101, worker: 303 });
  expect(figures).toEqual({
    requestsPerSecond: 50.5,
    firstMs: { p50: 50, p99: 99 },
    endMs: { p50: 500, p99: 990 },
    simulatorCpuMs: 2,
    gatewayCpuMs: { front: 1, worker: 3 },
    gatewayTotalCpuMs: 4,
  });
});

test('an outlier round does not count', () => {
  const round = (n: number): Figures => ({
    requestsPerSecond: n,
    firstMs: { p50: n, p99: n },
    endMs: { p50: n, p99: n },
    simulatorCpuMs: n,
    gatewayCpuMs: { front: n },
    gatewayTotalCpuMs: n,
  });
  expect(medians([round(3), round(100), round(2)])).toEqual(round(3));
  expect(medians([round(3), round(4)])).toEqual(round(3.5));
});
