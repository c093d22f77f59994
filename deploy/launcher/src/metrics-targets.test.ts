import { expect, test } from 'vitest';
import { metricsTargets } from './metrics-targets.ts';

test('the targets for Prometheus are grouped by service', () => {
  const text = metricsTargets([
    { component: 'worker', url: 'http://127.0.0.1:4001' },
    { component: 'control', url: 'http://127.0.0.1:4002' },
    { component: 'worker', url: 'http://[::1]:4003' },
  ]);
  expect(JSON.parse(text)).toEqual([
    { targets: ['127.0.0.1:4001', '[::1]:4003'], labels: { component: 'worker' } },
    { targets: ['127.0.0.1:4002'], labels: { component: 'control' } },
  ]);
});
