import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashSecret, type TokenRecord, tokenKey } from '@model-gateway/access';
import { openProjection, UsageWriter } from '@model-gateway/bus';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { locks } from './database/database.ts';
import { mostAttempts } from './people/sign-in-attempts.ts';
import { catalogText } from './testing/catalog.ts';
import { type TestControl, until } from './testing/control.ts';
import { cookieOf, personWith, signIn } from './testing/person.ts';
import { hasPostgres } from './testing/shared-postgres.ts';
import { Stage, untilKnown, untilRefused } from './testing/stage.ts';
import { usageRecord } from './testing/usage-record.ts';

const journal = new URL('../migrations/meta/_journal.json', import.meta.url);
const migrations = JSON.parse(readFileSync(journal, 'utf8')).entries.length;

describe.skipIf(!hasPostgres)('several controls on one PostgreSQL', () => {
  let admin: pg.Client;
  let stage: Stage;
  let env: { DATABASE_URL: string; GATEWAY_DATA: string; GATEWAY_MASTER_KEY: string };
  beforeEach(async () => {
    stage = await Stage.set();
    await use(await stage.postgres());
  });
  afterEach(async () => {
    await admin.end();
    await stage.clear();
  });

  async function use(DATABASE_URL: string): Promise<void> {
    await admin?.end();
    admin = new pg.Client({ connectionString: DATABASE_URL });
    admin.on('error', () => {});
    await admin.connect();
    env = { DATABASE_URL, GATEWAY_DATA: stage.emptyFolder(), GATEWAY_MASTER_KEY: 'ab'.repeat(32) };
  }

  const applied = async () =>
    Number((await admin.query('select count(*) from drizzle.__drizzle_migrations')).rows[0].count);

  /** Writes a separate gateway.yaml with a modification time some seconds ago. */
  function file(model: string, secondsAgo: number): string {
    const path = join(stage.emptyFolder(), 'gateway.yaml');
    writeFileSync(path, catalogText(model));
    const time = Date.now() / 1_000 - secondsAgo;
    utimesSync(path, time, time);
    return path;
  }

  test('migrate an empty database once when they start at the same time, and share it', async () => {
    await use(await stage.postgres({ empty: true }));
    const GATEWAY_FIRST_TOKEN = `sk-${'first'.repeat(8)}`;
    const controls = await Promise.all([1, 2, 3].map(() => stage.control({ ...env, GATEWAY_FIRST_TOKEN })));
    expect(await applied()).toBe(migrations);
    const [one, two, three] = controls as [TestControl, TestControl, TestControl];
    const access = await stage.access();
    const { id, token } = await one.issue();
    await untilKnown(access, token);
    expect((await two.api('DELETE', `/tokens/${id}`)).status).toBe(204);
    await untilRefused(access, token);
    expect(await three.tokens()).toMatchObject([{ name: 'first' }]);
  });

  test('share the first admin, sessions, attempts to sign in and the audit log', async () => {
    const controls = await Promise.all([1, 2].map(() => stage.control(env, { proxies: ['127.0.0.1'] })));
    const [one, two] = controls as [TestControl, TestControl];
    const password = readFileSync(join(env.GATEWAY_DATA, 'admin-password'), 'utf8').trim();
    const answer = await signIn(one, 'admin', password);
    expect(answer.status).toBe(201);
    const person = personWith(two, 'admin', password, cookieOf(answer));
    expect((await person.api('PUT', '/projects/shared', {})).status).toBe(200);
    const { body } = await one.api('GET', '/audit?action=createFirstAdmin');
    expect((body as { data: unknown[] }).data).toHaveLength(1);
    expect((await person.api('DELETE', '/session')).status).toBe(204);
    expect((await personWith(one, 'admin', password, person.cookie).api('GET', '/session')).status).toBe(401);
    const attempts = Array.from({ length: 2 * mostAttempts.user }, (_, n) =>
      signIn(n % 2 ? one : two, 'nobody', 'wrong', { 'x-forwarded-for': `192.0.2.${n}` }),
    );
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.filter(status => status === 401)).toHaveLength(mostAttempts.user);
    expect(statuses.filter(status => status === 429)).toHaveLength(mostAttempts.user);
    await expect(admin.query('delete from audit')).rejects.toThrow('the audit log is append-only');
  });

  test('wait for a control that migrates, and migrate themselves if it dies', async () => {
    await use(await stage.postgres({ empty: true }));
    const dying = new pg.Client({ connectionString: env.DATABASE_URL });
    dying.on('error', () => {});
    await dying.connect();
    const { rows } = await dying.query('select pg_advisory_lock($1), pg_backend_pid() as pid', [
      locks.migration,
    ]);
    await dying.query('begin');
    await dying.query('create table projects (half text)');
    const started = stage.control(env);
    const tries = new Set<string>();
    const waiting = `select query_start from pg_stat_activity
      where query like 'select pg_try_advisory_lock%' and datname = current_database()`;
    await until(async () => {
      for (const { query_start } of (await admin.query(waiting)).rows) tries.add(query_start.toISOString());
      return tries.size > 1;
    });
    const { rows: made } = await admin.query("select to_regnamespace('drizzle') as schema");
    expect(made).toEqual([{ schema: null }]);
    await admin.query('select pg_terminate_backend($1)', [rows[0].pid]);
    const control = await started;
    expect(await applied()).toBe(migrations);
    expect((await control.issue()).project).toBe('default');
  });

  test('repair what a control of an older version wrote, once they hear of it', async () => {
    const control = await stage.control(env);
    const access = await stage.access();
    const { token } = await control.issue({ name: 'one', models: ['fast'] });
    const { models, ...known } = await untilKnown(access, token);
    expect(models).toEqual(['fast']);
    const projection = await openProjection(stage.bus, 'access');
    const key = tokenKey(hashSecret(token));
    const stored = async () => ((await stage.read('access')).get(key) as TokenRecord).models;
    await projection.put(key, known);
    expect(await stored()).toBeUndefined();
    await until(async () => {
      await projection.beat('older');
      return (await stored()) !== undefined;
    });
  });

  test('work with a database that a newer version has migrated', async () => {
    const GATEWAY_CONFIG = file('fast', 0);
    await (await stage.control({ ...env, GATEWAY_CONFIG })).stop();
    await admin.query(`
      alter table tokens add column rank integer not null default 0;
      alter table usage add column region text not null default '';
      alter table models add column note text;
      insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 9999999999999)`);
    writeFileSync(GATEWAY_CONFIG, catalogText('slow'));
    const control = await stage.control({ ...env, GATEWAY_CONFIG });
    expect((await stage.catalog()).models().map(({ name }) => name)).toEqual(['slow']);
    const { id, token } = await control.issue();
    await untilKnown(await stage.access(), token);
    expect((await control.api('DELETE', `/tokens/${id}`)).status).toBe(204);
    await writeUsage(stage, [1]);
    await untilRequests(control, 1);
    expect(await applied()).toBe(migrations + 1);
  });

  test('write each usage record once, even if one control stops while it writes', async () => {
    const [one, two] = await Promise.all([stage.control(env), stage.control(env)]);
    const numbers = Array.from({ length: 3_000 }, (_, n) => n);
    const writing = writeUsage(stage, [...numbers, ...numbers.slice(0, 500)]);
    await vi.waitFor(async () => expect(await requests(two)).toBeGreaterThan(0));
    await one.stop();
    await writing;
    await untilRequests(two, numbers.length);
    const { rows } = await admin.query('select sum(output) as output from usage');
    expect(Number(rows[0].output)).toBe(numbers.reduce((sum, n) => sum + n, 0));
  });

  test('apply the catalog of the newest file as long as its control is running', async () => {
    const older = { ...env, GATEWAY_CONFIG: file('older', 3_600) };
    const newer = { ...env, GATEWAY_CONFIG: file('newer', 60) };
    await (await stage.control(older)).stop();
    const catalog = await stage.catalog();
    const inForce = () => catalog.models().map(({ name }) => name);
    expect(inForce()).toEqual(['older']);
    let control = await stage.control(newer);
    await until(() => inForce().includes('newer'));

    // A control with the older file starts again in the middle of a rolling update.
    const again = await stage.control(older);
    expect(again.running.notices?.()).toEqual([
      `${older.GATEWAY_CONFIG}: another control has a newer file, which is in force`,
    ]);
    expect(inForce()).toEqual(['newer']);

    // A control whose older file has the same catalog reports nothing.
    const same = await stage.control({ ...env, GATEWAY_CONFIG: file('newer', 7_200) });
    expect(same.running.notices?.()).toEqual([]);
    await same.stop();

    // A rollback to the older file: its control is already running, and takes over.
    await control.stop();
    await until(() => inForce().includes('older'));
    expect(again.running.notices?.()).toEqual([]);
    control = await stage.control(newer);
    await until(() => inForce().includes('newer'));
    writeFileSync(older.GATEWAY_CONFIG, catalogText('newest'));
    await until(() => inForce().includes('newest'));
  });

  test('apply the catalog of the newest file again after the database was down', async () => {
    const older = await stage.control({ ...env, GATEWAY_CONFIG: file('older', 3_600) });
    await stage.control({ ...env, GATEWAY_CONFIG: file('newer', 60) });
    const claims = "select pid from pg_locks where locktype = 'advisory' and classid::bigint = $1";
    const { rows } = await admin.query(claims, [locks.catalogFile]);
    expect(rows).toHaveLength(2);
    // The control that reconnects first must not assume that the other is gone.
    for (const { pid } of rows) await admin.query('select pg_terminate_backend($1)', [pid]);
    await until(async () => (await admin.query(claims, [locks.catalogFile])).rows.length === 2);
    await until(() => (older.running.notices?.() ?? []).length === 1);
    const { rows: models } = await admin.query('select name from models');
    expect(models).toEqual([{ name: 'newer' }]);
  });
});

async function writeUsage(stage: Stage, numbers: number[]): Promise<void> {
  const writer = new UsageWriter(stage.bus);
  for (const n of numbers) writer.add(usageRecord(n, { at: Date.UTC(2026, 0, 1) }));
  await writer.close(60_000);
}

async function requests(control: TestControl): Promise<number> {
  const { body } = await control.api('GET', '/usage/totals?by=model');
  return (body as { data: { requests: number }[] }).data[0]?.requests ?? 0;
}

async function untilRequests(control: TestControl, count: number): Promise<void> {
  await vi.waitFor(async () => expect(await requests(control)).toBe(count), { timeout: 90_000 });
}
