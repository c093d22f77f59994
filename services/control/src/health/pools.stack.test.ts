import type { OwnNatsServer } from '@model-gateway/bus/testing';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { TestControl } from '../testing/control.ts';
import { Stage } from '../testing/stage.ts';

let stage: Stage<OwnNatsServer>;
let clock: ManualClock;
beforeEach(async () => {
  stage = await Stage.withOwnNats();
  clock = new ManualClock(Date.now());
});
afterEach(() => stage.clear());

/** Sends a heartbeat of a worker. */
function beat(pool: string, id: string, load: number, capacity: number): void {
  stage.bus.state.publish(`gateway.v1.beat.${pool}.${id}`, JSON.stringify({ load, capacity }));
}

async function ask({ opsUrl }: TestControl, path: string): Promise<[number, unknown]> {
  const response = await fetch(`${opsUrl}${path}`);
  return [response.status, await response.json()];
}

const load = (pool: string, workers: number, callsInFlight: number, capacity: number) => ({
  pool,
  workers,
  callsInFlight,
  capacity,
});
/** The time in which a heartbeat of every worker arrives. */
const listenMs = 2_000;

test('every control reports the load of each pool, without workers that sent no heartbeat for 3 s', async () => {
  const controls = await Promise.all(
    [1, 2].map(async () => stage.control({ GATEWAY_DATA: await stage.folder() }, { clock })),
  );
  await clock.advance(listenMs);
  const beatOthers = () => {
    beat('default', 'a', 30, 2000);
    beat('default', 'draining', 5, 0);
    beat('eu-1', 'c', 7, 10);
  };
  beatOthers();
  beat('default', 'b', 1, 2000);
  stage.bus.state.publish('gateway.v1.beat.default.broken', 'no JSON');
  stage.bus.state.publish('gateway.v1.beat.default.broken', '{"load":"many"}');
  const before = [load('default', 3, 36, 4000), load('eu-1', 1, 7, 10)];
  for (const control of controls) {
    await vi.waitFor(async () => expect(await ask(control, '/pools')).toEqual([200, { pools: before }]));
    expect(await ask(control, '/pools/eu-1')).toEqual([200, before[1]]);
    expect(await ask(control, '/pools/none')).toEqual([200, load('none', 0, 0, 0)]);
    expect(await ask(control, '/pools/a.b')).toMatchObject([400, { code: 'invalid_request' }]);
    const metrics = await (await fetch(`${control.opsUrl}/metrics`)).text();
    expect(metrics.split('\n').filter(line => line.startsWith('gateway_pool_'))).toEqual([
      'gateway_pool_workers{pool="default"} 3',
      'gateway_pool_workers{pool="eu-1"} 1',
      'gateway_pool_calls_in_flight{pool="default"} 36',
      'gateway_pool_calls_in_flight{pool="eu-1"} 7',
      'gateway_pool_capacity{pool="default"} 4000',
      'gateway_pool_capacity{pool="eu-1"} 10',
    ]);
  }
  await clock.advance(2_999);
  for (const control of controls) expect(await ask(control, '/pools')).toEqual([200, { pools: before }]);
  beatOthers();
  await clock.advance(1);
  for (const control of controls)
    await vi.waitFor(async () =>
      expect(await ask(control, '/pools/default')).toEqual([200, load('default', 2, 35, 2000)]),
    );
});

test('a control that receives no heartbeats reports an unknown load, and never 0', async () => {
  const control = await stage.control({ GATEWAY_DATA: await stage.folder() }, { ready: false, clock });
  const unknown = [503, { code: 'load_unknown' }];
  expect(await ask(control, '/pools/default')).toMatchObject(unknown);
  const known = () =>
    vi.waitFor(async () => {
      beat('default', 'a', 30, 2000);
      await clock.advance(500);
      expect(await ask(control, '/pools/default')).toEqual([200, load('default', 1, 30, 2000)]);
    });
  await known();
  await stage.nats.restart();
  await vi.waitFor(async () => expect(await ask(control, '/pools')).toMatchObject(unknown));
  const metrics = await (await fetch(`${control.opsUrl}/metrics`)).text();
  expect(metrics).not.toContain('gateway_pool_calls_in_flight{');
  await known();
});

test('the metrics have the pool of a target without workers with 0, and no pool that no target names', async () => {
  const provider = (name: string) =>
    `  - { name: ${name}, kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1", pool: ${name} }\n`;
  const model = '  - { name: m, targets: [ { provider: gpu, model: m } ] }\n';
  const text = `providers:\n${provider('gpu')}${provider('unused')}models:\n${model}`;
  const control = await stage.control(await stage.withCatalog(text), { clock });
  await clock.advance(listenMs);
  beat('default', 'a', 30, 2000);
  const workers = async () => {
    const metrics = await (await fetch(`${control.opsUrl}/metrics`)).text();
    return metrics.split('\n').filter(line => line.startsWith('gateway_pool_workers{'));
  };
  await vi.waitFor(async () =>
    expect(await workers()).toEqual([
      'gateway_pool_workers{pool="default"} 1',
      'gateway_pool_workers{pool="gpu"} 0',
    ]),
  );
});
