import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { chart, render, renderText, trial, whyNoHelm } from './render.ts';

const name = 'values of the chart';
const read = (file: string) => readFileSync(join(chart, file), 'utf8');

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  definitions?: Record<string, Schema>;
  items?: Schema;
}

/** The paths of a schema and its children that have no description. */
function undescribed(schema: Schema, path: string): string[] {
  return [
    ...(schema.description ? [] : [path]),
    ...Object.entries({ ...schema.properties, ...schema.definitions }).flatMap(([key, each]) =>
      undescribed(each, `${path}.${key}`),
    ),
    ...(schema.items?.properties ? undescribed(schema.items, `${path}[]`) : []),
  ];
}

test('every value has a description, and every value of values.yaml is known', () => {
  const schema: Schema = JSON.parse(read('values.schema.json'));
  expect(undescribed(schema, 'values')).toEqual([]);
  expect(Object.keys(parse(read('values.yaml'))).toSorted()).toEqual(
    Object.keys(schema.properties ?? {})
      .filter(key => key !== 'global')
      .toSorted(),
  );
});

test('the chart has the version of the project', () => {
  const { version } = JSON.parse(readFileSync(join(chart, '../../../package.json'), 'utf8'));
  expect(parse(read('Chart.yaml'))).toMatchObject({ version, appVersion: version });
});

describe.skipIf(whyNoHelm)(whyNoHelm ? `${name} (skipped: ${whyNoHelm})` : name, () => {
  test.each<[string, object, string]>([
    ['a value that there is not', { edge: { servcie: { type: 'NodePort' } } }, "'servcie' not allowed"],
    [
      'a key of a worker that there is not',
      { workers: [{ name: 'a', replcas: 1 }] },
      "'replcas' not allowed",
    ],
    ['more replicas than the edge finds', { control: { replicas: 33 } }, 'maximum: got 33, want 32'],
    [
      'no database',
      { postgres: { enabled: false } },
      'The gateway needs a PostgreSQL database. Set database',
    ],
    ['two databases', { database: { existingSecret: 'a' } }, 'Set only one of database.url'],
    [
      'two pools of one name',
      { workers: [{ name: 'a' }, { name: 'a' }] },
      'Two entries of workers have the name',
    ],
    ['NATS of nobody', { nats: { enabled: false } }, 'set nats.external.url to the servers of your NATS'],
    [
      'a password in a URL',
      { nats: { enabled: false, external: { url: 'nats://a:b@c:4222' } } },
      'nats.external.url holds a user or password',
    ],
    [
      'an autoscaler that goes by nothing',
      { console: { autoscaling: { minReplicas: 1, maxReplicas: 2 } } },
      'console: its autoscaling needs something to go by',
    ],
    [
      'calls in flight that nobody tells',
      { workers: [{ name: 'a', autoscaling: { minReplicas: 1, maxReplicas: 2, callsInFlight: 9 } }] },
      'worker-a: autoscaling by callsInFlight needs `with`',
    ],
    [
      'a route without a Gateway',
      { edge: { httpRoute: { enabled: true } } },
      'needs edge.httpRoute.parentRefs',
    ],
    [
      'a port of each node where there is none',
      { edge: { service: { nodePort: 30_080 } } },
      'edge.service.nodePort needs edge.service.type',
    ],
    [
      'KEDA without control',
      {
        postgres: { enabled: false },
        workersOnly: true,
        secrets: { existing: 'a' },
        nats: { enabled: false, external: { url: 'nats://a:4222' } },
        workers: [{ name: 'a', autoscaling: { maxReplicas: 2, callsInFlight: 9, with: 'keda' } }],
      },
      'worker-a: control, which KEDA asks for calls in flight, is not in a release of workersOnly',
    ],
    [
      'an address in place of a range',
      { networkPolicy: { privateRanges: ['10.0.0.1'] } },
      'does not match pattern',
    ],
  ])('the chart refuses %s', async (_, values, message) => {
    const refusal = await renderText({ ...trial, ...values }).catch(error => String(error.stderr));
    expect(refusal).toContain(message);
  });

  test('a release name that makes names too long is refused', async () => {
    const refusal = await renderText(trial, 'a'.repeat(39)).catch(error => String(error.stderr));
    expect(refusal).toContain('is longer than 38 characters');
    const digit = await renderText(trial, '1a').catch(error => String(error.stderr));
    expect(digit).toContain('cannot begin the name of a Service');
    const names = (await render(trial, 'a'.repeat(38))).map(({ metadata }) => metadata.name.length);
    expect(Math.max(...names)).toBeLessThanOrEqual(63);
  });
});
