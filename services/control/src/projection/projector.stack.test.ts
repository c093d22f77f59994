import { cpSync, writeFileSync } from 'node:fs';
import { connectBus } from '@model-gateway/bus';
import { type OwnNatsServer, pauseProcess } from '@model-gateway/bus/testing';
import { recordKey } from '@model-gateway/catalog';
import { systemClock } from '@model-gateway/clock';
import { ManualClock } from '@model-gateway/clock/testing';
import { createLog } from '@model-gateway/service';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { catalogText } from '../testing/catalog.ts';
import { type StartOptions, type TestControl, until } from '../testing/control.ts';
import { passing } from '../testing/passing-time.ts';
import { refusalOf } from '../testing/refusal.ts';
import { Stage, untilKnown, untilRefused } from '../testing/stage.ts';
import { Projector } from './projector.ts';

let stage: Stage<OwnNatsServer>;
beforeEach(async () => {
  stage = await Stage.withOwnNats();
});
afterEach(() => stage.clear());

test('entries that are not in the database are removed from KV at the start', async () => {
  const env = await stage.withCatalog(catalogText('fast'));
  await (await stage.control(env)).stop();
  writeFileSync(env.GATEWAY_CONFIG, catalogText('slow'));
  await stage.control(env);
  expect((await stage.catalog()).models().map(model => model.name)).toEqual(['slow']);
});

test('KV follows a new database whose versions start at 1 again', async () => {
  const env = await stage.withCatalog(catalogText('fast'));
  const GATEWAY_FIRST_TOKEN = `sk-${'first'.repeat(8)}`;
  const old = await stage.control({ ...env, GATEWAY_FIRST_TOKEN });
  const lost = await old.issue();
  const access = await stage.access();
  await old.api('DELETE', `/tokens/${(await untilKnown(access, GATEWAY_FIRST_TOKEN)).id}`);
  await old.stop();

  writeFileSync(env.GATEWAY_CONFIG, catalogText('fast').replace('qwen3', 'qwen4'));
  const GATEWAY_DATA = await stage.folder();
  const control = await stage.control({ ...env, GATEWAY_FIRST_TOKEN, GATEWAY_DATA });
  const catalog = await stage.catalog();
  expect(catalog.models().map(model => model.targets[0]?.model)).toEqual(['qwen4']);
  await untilRefused(access, lost.token);
  await untilRefused(access, GATEWAY_FIRST_TOKEN);
  expect(await control.tokens()).toEqual([]);
  expect((await untilKnown(access, (await control.issue()).token)).name).toBe('one');
});

test('KV follows a new database whose next version is higher, while the versions of its rows are lower', async () => {
  const env = await stage.withCatalog(catalogText('fast'));
  const old = await stage.control(env);
  writeFileSync(env.GATEWAY_CONFIG, catalogText('fast').replace('qwen3', 'qwen4'));
  await until(async () => JSON.stringify([...(await stage.read('catalog'))]).includes('"qwen4"'));
  await old.stop();

  const more = ['a', 'b', 'c'].map(
    name => `  - { name: ${name}, targets: [ { provider: openai, model: gpt } ] }`,
  );
  const text = catalogText('fast', more.join('\n')).replace('qwen3', 'qwen5');
  writeFileSync(env.GATEWAY_CONFIG, text);
  await stage.control({ ...env, GATEWAY_DATA: await stage.folder() });
  expect((await stage.catalog()).model('fast')?.model.targets[0]?.model).toBe('qwen5');
});

test('KV follows a restored database in projects and users, and in the providers and models of the API', async () => {
  const [GATEWAY_DATA, backup] = [await stage.folder(), stage.emptyFolder()];
  const set = async (...amounts: number[]) => {
    const control = await stage.control({ GATEWAY_DATA });
    for (const amount of amounts) {
      for (const path of ['/projects/lab', '/users/ada'])
        await control.api('PUT', path, { budget: { amount, period: 'day' } });
      await control.api('PUT', '/providers/made', { kind: 'openai', pool: `pool-${amount}` });
      await control.api('PUT', '/models/made', { targets: [{ provider: 'made', model: `model-${amount}` }] });
    }
    await control.stop();
  };
  await set(1);
  cpSync(GATEWAY_DATA, backup, { recursive: true });
  await set(2, 3);
  const catalog = await stage.catalog();
  const inForce = () => [
    ...[catalog.budgetOf('lab')?.amount, catalog.userBudgetOf('ada')?.amount],
    ...[catalog.provider('made')?.pool, catalog.model('made')?.model.targets[0]?.model],
  ];
  expect(inForce()).toEqual([3, 3, 'pool-3', 'model-3']);
  await stage.control({ GATEWAY_DATA: backup });
  await expect.poll(inForce).toEqual([1, 1, 'pool-1', 'model-1']);
});

test('a key that another control has removed is not restored by a late write', async () => {
  const bus = await connectBus({ url: stage.nats.url, name: 'late' });
  const value = { name: 'gone', targets: [], version: 7 } as never;
  const projector = new Projector({
    bus: async () => bus,
    source: { overtake: async () => false, everything: async () => [], catalog: async () => [] },
    log: createLog('control', 'silent'),
    clock: systemClock,
  });
  void projector.start();
  await until(() => projector.problems().length === 0);
  await projector.send([{ bucket: 'catalog', key: recordKey('model', 'gone'), value }]);
  projector.stop();
  await bus.close();
  expect([...(await stage.read('catalog')).keys()]).toEqual([]);
});

describe('while NATS is down', () => {
  let clock: ManualClock;
  let control: TestControl;
  beforeEach(() => {
    clock = new ManualClock(Date.now());
  });
  afterEach(() => process.kill(stage.nats.pid, 'SIGCONT'));

  const start = async (options?: StartOptions) =>
    stage.control({ GATEWAY_DATA: await stage.folder() }, { ...options, clock });

  /** Asks for something that NATS does not get, and lets the time pass after which control gives up. */
  const inVain = <Value>(asked: Promise<Value>) => passing(clock, asked, 100);

  async function untilBack(): Promise<void> {
    process.kill(stage.nats.pid, 'SIGCONT');
    await passing(
      clock,
      until(() => control.problems().length === 0),
    );
  }

  test('changes are refused, and KV is corrected once it is back', async () => {
    control = await start();
    const { id, token } = await control.issue();
    await pauseProcess(stage.nats.pid);
    const [revoked, cut] = await inVain(
      Promise.all([control.api('DELETE', `/tokens/${id}`), control.api('POST', '/tokens', { name: 'cut' })]),
    );
    for (const [answer, message] of [
      [revoked, willBeSent],
      [cut, nothingChanged],
    ] as const) {
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(refusalOf(answer)).toEqual({ status: 503, message, param: null, code: busy });
    }
    const refused = await inVain(control.api('POST', '/tokens', { name: 'later' }));
    expect([refused.status, refused.body]).toMatchObject([503, { detail: nothingChanged }]);
    expect(control.problems()).toHaveLength(1);

    await untilBack();
    const access = await stage.access();
    await untilRefused(access, token);
    expect((await control.api('DELETE', `/tokens/${id}`)).status).toBe(404);
    // The client never got the secret of the token whose request failed, so the token must never become valid.
    expect(await control.tokens()).toEqual([]);
    expect([...(await stage.read('access')).values()]).not.toContainEqual(
      expect.objectContaining({ revoked: false }),
    );
  });

  test('a rotation is taken back: the earlier secrets work on, as before it', async () => {
    control = await start();
    const { id, token, prefix } = await control.issue();
    const rotate = (graceSeconds: number) => control.api('POST', `/tokens/${id}/rotate`, { graceSeconds });
    const { token: second } = (await rotate(600)).body as { token: string };
    await pauseProcess(stage.nats.pid);
    const { status, body } = await inVain(rotate(0));
    expect([status, body]).toMatchObject([503, { detail: nothingChanged }]);

    await untilBack();
    const access = await stage.access();
    for (const secret of [token, second]) {
      expect((await untilKnown(access, secret)).id).toBe(id);
      expect((await control.api('GET', '/token', undefined, secret)).status).toBe(200);
    }
    const secrets = [...(await stage.read('access')).values()] as { revoked?: boolean }[];
    expect(secrets.filter(({ revoked }) => revoked === false)).toHaveLength(2);
    expect((await control.tokens())[0]?.prefix).toBe(second.slice(0, prefix.length));
    const { token: last } = (await rotate(0)).body as { token: string };
    await untilKnown(access, last);
    for (const secret of [token, second]) await untilRefused(access, secret);
  });

  test('control starts, and KV is filled once NATS can be reached', async () => {
    await pauseProcess(stage.nats.pid);
    control = await start({ ready: false });
    expect((await inVain(control.api('POST', '/tokens', { name: 'early' }))).status).toBe(503);
    expect((await control.api('GET', '/tokens')).status).toBe(200);
    expect(control.problems()).toEqual(['NATS does not hold the latest record: not connected yet']);
    await untilBack();
    await control.issue();
  });
});

const willBeSent = 'The message bus cannot be reached. The change will take effect once it is back.';
const nothingChanged = 'The message bus cannot be reached. Nothing was changed.';
const busy = 'server_is_overloaded';

test('KV is filled again after its nats-server was killed', async () => {
  const env = await stage.withCatalog(catalogText('fast'));
  const control = await stage.control(env);
  await stage.nats.restart();
  writeFileSync(env.GATEWAY_CONFIG, catalogText('slow'));
  await until(
    async () => control.problems().length === 0 && [...(await stage.read('catalog')).keys()].length === 3,
  );
  await until(async () => JSON.stringify([...(await stage.read('catalog'))]).includes('"slow"'));
});
