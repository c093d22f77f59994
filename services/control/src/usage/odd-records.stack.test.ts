import { endpoints } from '@model-gateway/admin-api';
import { UsageWriter } from '@model-gateway/bus';
import { noUsage } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { TestControl } from '../testing/control.ts';
import { eventually } from '../testing/eventually.ts';
import { postgresPrograms, startPostgres } from '../testing/postgres-server.ts';
import { hasPostgres } from '../testing/shared-postgres.ts';
import { Stage } from '../testing/stage.ts';
import { databaseKinds, isMissing } from '../testing/test-database.ts';
import { attemptId, usageRecord as record } from '../testing/usage-record.ts';

let stage: Stage;
let clock: ManualClock;
let writer: UsageWriter;
beforeEach(async () => {
  stage = await Stage.set();
  clock = new ManualClock(Date.now());
  writer = new UsageWriter(stage.bus);
});
afterEach(async () => {
  await writer.close();
  await stage.clear();
});

interface Entry {
  id: string;
  requestId: string;
  at: string;
  [field: string]: unknown;
}

async function entries(control: TestControl, path = '/usage?limit=1000'): Promise<Entry[]> {
  return ((await control.api('GET', path)).body as { data: Entry[] }).data;
}

async function untilStored(control: TestControl, count: number): Promise<Map<string, Entry>> {
  await eventually(clock, async () => expect(await entries(control)).toHaveLength(count));
  return new Map((await entries(control)).map(entry => [entry.requestId, entry]));
}

async function metric(control: TestControl, name: string): Promise<number> {
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(await control.metrics())?.[1]);
}

for (const kind of databaseKinds)
  describe.skipIf(isMissing(kind))(`the ledger on ${kind}`, () => {
    const start = async () =>
      stage.control(
        kind === 'PGlite'
          ? { GATEWAY_DATA: await stage.folder() }
          : { GATEWAY_DATA: stage.emptyFolder(), DATABASE_URL: await stage.postgres() },
        { clock },
      );

    test('every record of a batch is stored, whatever values its fields have', async () => {
      const control = await start();
      writer.add(
        record(1, { model: 'fixed/\0', provider: '\ud800', upstreamModel: '\udc00x', tokenId: 'a\0b' }),
      );
      writer.add(record(2, { model: 'm'.repeat(5_000), tokenId: '\u{1f600}\u4e00'.repeat(4_000) }));
      const counts = { input: Number.NaN, output: 1e300, reasoning: -5, cachedInput: 1.6, audioInput: '7' };
      const units = { images: Number.POSITIVE_INFINITY, seconds: -1, characters: 2 ** 60 };
      writer.add(record(3, { usage: { ...noUsage, ...counts, units } }));
      const deep = JSON.parse('['.repeat(200) + ']'.repeat(200));
      writer.add(record(4, { usage: { ...noUsage, raw: { 'a\0': ['\ud800\0', { deep }], fine: 1 } } }));
      writer.add(record(5, { id: 'no uuid' }));
      writer.add(record(5, { id: 'no uuid' }));
      writer.add(record(6, { outcome: 'strange', error: 'new-kind', operation: 7, format: null }));
      writer.add(record(7, { at: 'never', ms: 1e12, firstMs: -3, charged: 'yes', stream: undefined }));
      writer.add(record(8, { at: 9e15, id: attemptId(8).toUpperCase() }));
      writer.add(record(8, { at: 9e15, byCaller: true }));
      writer.add(record(9));
      const stored = await untilStored(control, 9);
      expect(stored.get('req_1')).toMatchObject({
        model: 'fixed/\ufffd',
        provider: '\ufffd',
        upstreamModel: '\ufffdx',
        token: 'a\ufffdb',
      });
      expect(stored.get('req_2')?.model).toBe(`${'m'.repeat(511)}…`);
      expect(stored.get('req_2')?.token).toHaveLength(512);
      expect(stored.get('req_3')?.usage).toMatchObject({
        input: 0,
        output: Number.MAX_SAFE_INTEGER,
        reasoning: 0,
        cachedInput: 2,
        audioInput: 0,
        images: 0,
        seconds: 0,
        characters: Number.MAX_SAFE_INTEGER,
      });
      expect(stored.get('req_5')?.id).toMatch(/^[0-9a-f-]{36}$/);
      expect(stored.get('req_6')).toMatchObject({ outcome: 'strange', error: 'new-kind', operation: '7' });
      expect(stored.get('req_7')).toMatchObject({
        ms: 2 ** 31 - 1,
        firstMs: 0,
        charged: false,
        stream: false,
      });
      expect(stored.get('req_8')).toMatchObject({ id: attemptId(8), at: '9999-12-31T23:59:59.999Z' });
      expect(stored.get('req_9')).toMatchObject({ model: 'fast', usage: { output: 9 } });
      expect(await entries(control, '/usage/rejected')).toEqual([]);
      await eventually(clock, async () =>
        expect(await metric(control, 'gateway_ledger_adjusted_total')).toBe(10),
      );
      const totals = await control.api('GET', '/usage/totals?by=token');
      expect(totals.status).toBe(200);
    });

    test('a value that is not a usage record is stored once as rejected, where the operator can read it', async () => {
      const control = await start();
      const noId = { ...record(20), id: undefined, model: '\0\ud800ü' };
      writer.add(noId as never);
      writer.add(record(21));
      writer.add(5 as never);
      await untilStored(control, 1);
      const publish = (text: string) =>
        stage.bus.state.request('gateway.v1.usage', text, { timeout: 60_000 });
      for (let sent = 0; sent < 2; sent++) await publish('\0no JSON');
      const depth = 20_000;
      await publish(`[${'['.repeat(depth)}${']'.repeat(depth)}]`);
      await eventually(clock, async () => expect(await entries(control, '/usage/rejected')).toHaveLength(4));
      const rejected = await entries(control, '/usage/rejected');
      const read = rejected.map(({ record, reason }) => [JSON.parse(record as string), reason]);
      expect(read).toEqual([
        [expect.anything(), 'the record is not an object'],
        ['\0no JSON', 'the record is not an object'],
        [5, 'the record is not an object'],
        [JSON.parse(JSON.stringify(noId)), 'the record has no id'],
      ]);
      const [newest, ...older] = rejected;
      const { body: first } = await control.api('GET', '/usage/rejected?limit=1');
      expect(first).toEqual({ data: [newest], next: expect.any(String) });
      const cursor = (first as { next: string }).next;
      const rest = await control.api('GET', `/usage/rejected?limit=3&cursor=${cursor}`);
      expect(endpoints.listRejected.response.parse(rest.body)).toEqual(rest.body);
      expect(rest.body).toEqual({ data: older, next: null });
      await eventually(clock, async () =>
        expect(await metric(control, 'gateway_ledger_rejected_total')).toBe(5),
      );
    });
  });

const programs = postgresPrograms();

test('control says that the database is down and how far the ledger is behind, and has every record once it is back', async context => {
  if (!programs) return context.skip('there is no initdb and postgres on this machine');
  const postgres = await startPostgres(programs);
  try {
    const env = { DATABASE_URL: postgres.url, GATEWAY_DATA: stage.emptyFolder() };
    const control = await stage.control(env, { clock });
    const catalog = await stage.catalog();
    writer.add(record(1));
    await untilStored(control, 1);
    await postgres.halt();
    const { status, body } = await control.api('GET', '/tokens');
    expect([status, body]).toMatchObject([503, { detail: 'The database cannot be reached.' }]);
    writer.add(record(2));
    const lag = () => metric(control, 'gateway_ledger_lag_seconds');
    await eventually(clock, async () => expect(await lag()).toBeGreaterThan(0));
    expect(control.running.notices?.()).toEqual([]);
    clock.jump(61_000);
    expect(await lag()).toBeGreaterThan(60);
    const late = [expect.stringMatching(/^the ledger is \d+ s behind: .*ECONNREFUSED/)];
    await eventually(clock, () => expect(control.running.notices?.()).toEqual(late));
    await eventually(clock, () => expect(control.problems()).toEqual([]));
    // Every process that follows the catalog, such as an ingress, gets the notice too.
    await eventually(clock, () => expect(catalog.notices).toEqual(late));
    await postgres.start();
    await untilStored(control, 2);
    await eventually(clock, async () => expect(await lag()).toBe(0));
    expect(control.running.notices?.()).toEqual([]);
  } finally {
    await postgres.stop();
  }
});

test.skipIf(!hasPostgres)(
  'a record that the database refuses is stored as rejected; one that it cannot store yet is retried',
  async () => {
    const DATABASE_URL = await stage.postgres();
    const client = new pg.Client({ connectionString: DATABASE_URL });
    try {
      const control = await stage.control({ DATABASE_URL, GATEWAY_DATA: stage.emptyFolder() }, { clock });
      await client.connect();
      await client.query(`alter table usage add check (model <> 'refused')`);
      for (const n of [1, 2, 3]) writer.add(record(n, n === 2 ? { model: 'refused' } : {}));
      await untilStored(control, 2);
      await eventually(clock, async () => expect(await entries(control, '/usage/rejected')).toHaveLength(1));
      const [rejected] = await entries(control, '/usage/rejected');
      expect(JSON.parse(rejected?.record as string)).toEqual(record(2, { model: 'refused' }));
      expect(rejected?.reason).toMatch(/violates check constraint/);
      await client.query('alter table usage rename to away');
      writer.add(record(4));
      await vi.waitFor(() => expect(writer.waiting).toBe(0));
      await eventually(clock, async () =>
        expect(await metric(control, 'gateway_ledger_lag_seconds')).toBeGreaterThan(0),
      );
      await client.query('alter table away rename to usage');
      await untilStored(control, 3);
      expect(await entries(control, '/usage/rejected')).toHaveLength(1);
    } finally {
      await client.end();
    }
  },
);
