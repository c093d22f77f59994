import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { metricTable } from '@model-gateway/service';
import { expect, test } from 'vitest';
import { generated } from './generated.ts';

const root = resolve(import.meta.dirname, '../../..');
const metrics = Object.entries(metricTable);

test('docs/metrics.md has the metrics of the code: npm run docs writes them', () => {
  const { path, text } = generated();
  expect(readFileSync(path, 'utf8') === text).toBe(true);
});

test.each(metrics)('%s follows the conventions of Prometheus', (name, { type, unit, labels, help }) => {
  expect(name).toMatch(/^gateway_[a-z]+(_[a-z]+)*$/);
  expect(name.endsWith('_total')).toBe(type === 'counter');
  if (['seconds', 'bytes', 'dollars', 'tokens'].includes(unit))
    expect(name).toMatch(new RegExp(`_${unit}(_total)?$`));
  expect(help).toMatch(/^[A-Z0-9].*[^.]$/);
  for (const label of labels) expect(label).toMatch(/^[a-z]+$/);
});

test('every metric of the table is measured, and no page names another', () => {
  const sources = globSync('{shared,services}/*/src/**/*.ts', { cwd: root }).filter(
    path =>
      !path.endsWith('.test.ts') &&
      !path.includes('shared/service/src/metrics/ingress-') &&
      !/metrics\/(worker|control|process)-metrics/.test(path),
  );
  const code = sources.map(path => readFileSync(join(root, path), 'utf8')).join('\n');
  expect(metrics.map(([name]) => name).filter(name => !code.includes(`'${name}'`))).toEqual([]);
  const pages = globSync('docs/**/*.md', { cwd: root }).map(path => readFileSync(join(root, path), 'utf8'));
  const named = pages.flatMap(page => page.match(/\bgateway_[a-z_]+[a-z]/g) ?? []);
  const known = new Set(
    metrics.flatMap(([name]) => [name, `${name}_bucket`, `${name}_count`, `${name}_sum`]),
  );
  expect([...new Set(named)].filter(name => !known.has(name) && !name.startsWith('gateway_api'))).toEqual([]);
});
