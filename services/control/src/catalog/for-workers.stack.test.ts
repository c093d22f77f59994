import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Catalog, PoolSealer, unsealProvider } from '@model-gateway/catalog';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TestControl } from '../testing/control.ts';
import { eventually } from '../testing/eventually.ts';
import { Stage } from '../testing/stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.set();
});
afterEach(() => stage.clear());

const local = { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1' };

function keyOf(catalog: Catalog, name: string, sealer: PoolSealer): unknown {
  const record = catalog.provider(name);
  return record && unsealProvider(sealer, record).apiKey;
}

test('a pool has no secrets until control has its key, and control says so', async () => {
  const folder = stage.emptyFolder();
  mkdirSync(join(folder, 'pools'));
  writeFileSync(join(folder, 'pools', 'default'), `${'ab'.repeat(32)}\n`);
  const clock = new ManualClock(Date.now());
  const env = { GATEWAY_DATA: await stage.folder(), GATEWAY_POOL_KEYS: join(folder, 'pools') };
  const control: TestControl = await stage.control(env, { clock });
  const put = (name: string, pool: string) =>
    control.api('PUT', `/providers/${name}`, { ...local, pool, apiKey: { value: `sk-${name}` } });
  await put('near', 'default');
  await put('far', 'eu');
  const catalog = await stage.catalog();
  expect(keyOf(catalog, 'near', new PoolSealer(Buffer.alloc(32, 0xab)))).toEqual({ value: 'sk-near' });
  const eu = new PoolSealer(Buffer.alloc(32, 0xcd));
  expect(() => keyOf(catalog, 'far', eu)).toThrow('control has no key of the pool in GATEWAY_POOL_KEYS');
  const notice = /^workers of the pool eu cannot read the secrets of far: .*pools\/eu/;
  expect(control.running.notices?.()).toEqual([expect.stringMatching(notice)]);
  writeFileSync(join(folder, 'pools', 'eu'), `${'cd'.repeat(32)}\n`);
  await eventually(clock, async () => expect(keyOf(catalog, 'far', eu)).toEqual({ value: 'sk-far' }));
  expect(control.running.notices?.()).toEqual([]);
});
