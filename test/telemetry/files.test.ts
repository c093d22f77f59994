import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMetrics, metricTable } from '@model-gateway/service';
import { describe, expect, test } from 'vitest';
import { causes } from './causes.ts';
import { alerts, alertsFile, dashboardQueries, dashboards, metricsIn } from './files.ts';
import { promtool, ruleTests, whyNoPrometheus } from './promtool.ts';

const docs = join(import.meta.dirname, '../../docs');
const known = new Set([
  ...Object.keys(metricTable),
  ...createMetrics()
    .getMetricsAsArray()
    .map(({ name }) => name),
]);
const queries = [...dashboardQueries('5m'), ...alerts.map(({ alert, expr }) => ({ place: alert, expr }))];

test('dashboards and alerts name only metrics that exist, and together every metric', () => {
  const unknown = queries.flatMap(({ place, expr }) =>
    metricsIn(expr)
      .filter(name => !known.has(name))
      .map(name => `${place}: ${name}`),
  );
  expect(unknown).toEqual([]);
  const used = new Set(queries.flatMap(({ expr }) => metricsIn(expr)));
  expect(Object.keys(metricTable).filter(name => !used.has(name))).toEqual([]);
});

test.each(dashboards)(
  '$file is complete: each panel has a description and a unit',
  ({ uid, schemaVersion, panels }) => {
    expect(uid).toMatch(/^model-gateway-/);
    expect(schemaVersion).toBe(41);
    expect(panels.map(({ id }) => id)).toEqual(panels.map((_, i) => i + 1));
    for (const { title, type, description, fieldConfig, targets } of panels) {
      if (type === 'row') continue;
      expect(description, title).toMatch(/\.$/);
      if (type === 'text') continue;
      expect(fieldConfig?.defaults.unit, title).toBeTruthy();
      expect(targets, title).not.toEqual([]);
    }
  },
);

test('dashboards have different ids', () => {
  expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(dashboards.length);
});

test('docs/alerts.md has a runbook for each alert, and no other', () => {
  const page = readFileSync(join(docs, 'alerts.md'), 'utf8');
  const [, ...sections] = page.split(/^## /m);
  expect(sections.map(section => section.split('\n')[0])).toEqual(alerts.map(({ alert }) => alert));
  for (const [i, { alert, expr, labels, annotations }] of alerts.entries()) {
    const section = sections[i] ?? '';
    expect(section).toContain(`${annotations.summary} Severity: ${labels.severity}.`);
    expect(section).toContain(`\n${expr}\n`);
    for (const part of ['What it means', 'What to check', 'What to do'])
      expect(section).toContain(`**${part}**: `);
    expect(annotations.runbook).toBe(`docs/alerts.md#${alert.toLowerCase()}`);
  }
});

test('each alert has a cause', () => {
  expect(Object.keys(causes)).toEqual(alerts.map(({ alert }) => alert));
});

const name = 'the rules by promtool';
describe.skipIf(whyNoPrometheus)(whyNoPrometheus ? `${name} (skipped: ${whyNoPrometheus})` : name, () => {
  test('the rules are valid', () => {
    expect(promtool(['check', 'rules'], readFileSync(alertsFile, 'utf8'))).toBeUndefined();
  });

  test('the Compose profile has a valid configuration of Prometheus', () => {
    const file = join(import.meta.dirname, '../../deploy/telemetry/prometheus.yml');
    expect(promtool(['check', 'config'], readFileSync(file, 'utf8'))).toBeUndefined();
  });

  test('each alert fires when it is caused, and not before', () => {
    expect(promtool(['test', 'rules'], ruleTests(alertsFile, alerts, causes))).toBeUndefined();
  });
});
