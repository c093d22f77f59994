import { type HealthReport, healthReport } from '@model-gateway/admin-api';
import { joinProjection } from '@model-gateway/bus';
import type { OwnNatsServer } from '@model-gateway/bus/testing';
import { type Rest, restKey } from '@model-gateway/catalog';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { TestControl } from '../testing/control.ts';
import { refusalOf } from '../testing/refusal.ts';
import { Stage } from '../testing/stage.ts';

const catalog = `
providers:
  - { name: house, kind: ollama }
  - { name: vendor, kind: openai, apiKey: { value: secret } }
models:
  - { name: fast, targets: [ { provider: house, model: small }, { provider: vendor, model: mini } ] }
  - { name: "any/*", targets: [ { provider: house, model: "*" } ] }
`;

let stage: Stage<OwnNatsServer>;
let control: TestControl;
beforeAll(async () => {
  stage = await Stage.withOwnNats();
  control = await stage.control(await stage.withCatalog(catalog));
});
afterAll(() => stage.clear());

const patient = { timeout: 60_000, interval: 20 };
const since = Date.now();
const rest = (fields: Partial<Rest>): Rest => ({
  version: Date.now(),
  provider: 'house',
  reason: 'failures',
  error: 'upstream',
  since,
  until: since + 600_000,
  by: 'front',
  ...fields,
});

/** Writes rests as an ingress does. */
async function write(...rests: Rest[]): Promise<void> {
  const bucket = await joinProjection(stage.bus, 'health');
  for (const one of rests) await vi.waitFor(() => bucket.put(restKey(one), one), patient);
}

async function ask(query = ''): Promise<HealthReport> {
  const { status, body } = await control.api('GET', `/health${query}`);
  expect([status, healthReport.parse(body)]).toEqual([200, body]);
  return body as HealthReport;
}

/** Waits until control has read the buckets. */
const known = () => vi.waitFor(async () => expect((await ask()).models).toHaveLength(2), patient);

/** Returns the lines of the metrics about rests. */
async function measured(): Promise<string[]> {
  return (await control.metrics()).split('\n').filter(line => /^gateway_(target|key)_resting{/.test(line));
}

const times = { since: new Date(since).toISOString(), until: new Date(since + 600_000).toISOString() };

test('shows what is written to the bucket, until a success ends the rest', async () => {
  await known();
  expect(await measured()).toEqual([]);
  const small = rest({ model: 'small' });
  const key = rest({ provider: 'vendor', key: 'default', reason: 'refused-key' });
  await write(small, key);
  const failing = { state: 'resting', reason: 'failures', error: 'upstream', ...times };
  const refused = { ...failing, reason: 'refused-key' };
  const found = {
    models: [
      {
        name: 'fast',
        targets: [
          { provider: 'house', model: 'small', ...failing },
          { provider: 'vendor', model: 'mini', ...refused },
        ],
      },
      { name: 'any/*', targets: [{ provider: 'house', model: 'small', ...failing }] },
    ],
    keys: [{ provider: 'vendor', key: 'default', ...refused }],
  };
  await vi.waitFor(async () => expect(await ask('?state=resting')).toEqual(found), patient);
  expect(await measured()).toEqual([
    'gateway_target_resting{provider="house",model="small",reason="failures"} 1',
    'gateway_target_resting{provider="vendor",model="mini",reason="refused-key"} 1',
    'gateway_target_resting{provider="house",model="*",reason="failures"} 1',
    'gateway_key_resting{provider="vendor",key="default",reason="refused-key"} 1',
  ]);
  await write(
    { ...small, version: small.version + 1, until: 0 },
    { ...key, version: key.version + 1, until: 0 },
  );
  await vi.waitFor(
    async () => expect(await ask('?state=resting')).toEqual({ models: [], keys: [] }),
    patient,
  );
  expect(await measured()).toEqual([]);
});

test('names that clients invent make no further series', async () => {
  await known();
  await write(...Array.from({ length: 50 }, (_, i) => rest({ model: `invented-${i}`, reason: 'asked' })));
  const targets = async () => (await ask('?model=any/x')).models[0]?.targets ?? [];
  await vi.waitFor(async () => expect(await targets()).toHaveLength(51), patient);
  expect(await measured()).toEqual(['gateway_target_resting{provider="house",model="*",reason="asked"} 1']);
});

test('names a wrong parameter', async () => {
  for (const [query, param, code] of [
    ['?state=broken', 'state', 'invalid_value'],
    ['?models=fast', 'models', 'unknown_parameter'],
  ]) {
    expect(refusalOf(await control.api('GET', `/health${query}`))).toMatchObject({
      status: 400,
      param,
      code,
    });
  }
});

test('is a 503 without NATS, and follows a NATS that has lost its data', async () => {
  await known();
  await write(rest({ model: 'small' }));
  await vi.waitFor(async () => expect((await ask('?state=resting')).models).toHaveLength(2), patient);
  process.kill(stage.nats.pid, 'SIGKILL');
  const unknown = await vi.waitFor(async () => {
    const answer = await control.api('GET', '/health');
    expect(answer.status).toBe(503);
    return answer;
  }, patient);
  expect(unknown.headers.get('retry-after')).toBe('1');
  expect(refusalOf(unknown)).toMatchObject({ code: 'health_unknown', param: null });
  expect(await measured()).toEqual([]);
  await stage.nats.restart({ empty: true });
  await known();
  await vi.waitFor(
    async () => expect(await ask('?state=resting')).toEqual({ models: [], keys: [] }),
    patient,
  );
});
