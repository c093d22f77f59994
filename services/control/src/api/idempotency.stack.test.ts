import type { IssuedToken } from '@model-gateway/admin-api';
import { pauseProcess } from '@model-gateway/bus/testing';
import { ManualClock } from '@model-gateway/clock/testing';
import { createLog } from '@model-gateway/service';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OpenDatabase } from '../database/database.ts';
import { openDatabase } from '../database/open.ts';
import { idempotencyKeys } from '../database/people-tables.ts';
import { type Answer, adminToken, type TestControl } from '../testing/control.ts';
import { passing } from '../testing/passing-time.ts';
import { makePerson, send } from '../testing/person.ts';
import { refusalOf } from '../testing/refusal.ts';
import { hasPostgres } from '../testing/shared-postgres.ts';
import { Stage } from '../testing/stage.ts';
import { retain } from '../usage/retention.ts';

const masterKey = Buffer.alloc(32, 7).toString('base64');

describe.skipIf(!hasPostgres)('an Idempotency-Key, with several controls (only where postgres is)', () => {
  let stage: Stage;
  let database: OpenDatabase;
  let settings: Record<string, string>;
  let controls: TestControl[];
  beforeAll(async () => {
    stage = await Stage.set();
    settings = {
      DATABASE_URL: await stage.postgres(),
      GATEWAY_DATA: stage.emptyFolder(),
      GATEWAY_MASTER_KEY: masterKey,
    };
    controls = [await stage.control(settings), await stage.control(settings)];
    database = await openDatabase({ ...settings } as never, createLog('control', 'silent'));
  });
  afterAll(async () => {
    await database?.close();
    await stage?.clear();
  });

  let key = '';
  let keys = 0;
  beforeEach(() => {
    key = `key-${keys++}`;
  });
  const post = (path: string, body: unknown, { at = 0, with: sent = key } = {}) =>
    send(controls[at] as TestControl, 'POST', path, body, {
      authorization: `Bearer ${adminToken}`,
      'idempotency-key': sent,
    });
  const named = async (name: string) => {
    const { body } = await (controls[0] as TestControl).api('GET', `/tokens?name=${name}`);
    return (body as { data: IssuedToken[] }).data;
  };
  const replayed = ({ headers }: Answer) => headers.get('idempotency-replayed');
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const rows = () => database.db.select().from(idempotencyKeys);

  test('gets the same answer with the same secret, from every control and after a restart', async () => {
    const first = await post('/tokens', { name: 'once' });
    expect([first.status, replayed(first)]).toEqual([201, null]);
    for (const at of [0, 1]) {
      const again = await post('/tokens', { name: 'once' }, { at });
      expect([again.status, again.body, replayed(again)]).toEqual([201, first.body, 'true']);
      expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
      expect(again.headers.get('cache-control')).toBe('no-store');
    }
    await controls[0]?.stop();
    controls[0] = await stage.control(settings);
    expect((await post('/tokens', { name: 'once' })).body).toEqual(first.body);
    expect(await named('once')).toHaveLength(1);
  });

  test('is sealed with its answer, and holds neither key nor secret', async () => {
    const { body } = await post('/tokens', { name: 'sealed' });
    await post('/users/hidden/password', { password: 'correct horse battery' });
    const stored = JSON.stringify(await rows());
    for (const secret of [(body as IssuedToken).token as string, key, 'sealed', 'horse'])
      expect(stored).not.toContain(secret);
  });

  test('of another body or another path is refused', async () => {
    await post('/tokens', { name: 'body' });
    for (const [path, body] of [
      ['/tokens', { name: 'other' }],
      ['/accounts', { name: 'body' }],
      ['/accounts', { name: 'body', role: 'admin', expiresAt: inDays(1) }],
    ] as const)
      expect(refusalOf(await post(path, body))).toMatchObject({
        status: 422,
        code: 'idempotency_key_reused',
      });
    expect(await named('other')).toEqual([]);
  });

  test('makes one token of requests at the same time, at any control', async () => {
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, n) => post('/tokens', { name: 'racing' }, { at: n % 2 })),
    );
    expect(await named('racing')).toHaveLength(1);
    const made = all.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ body }) => (body as IssuedToken).token)).size).toBe(1);
    for (const answer of all.filter(({ status }) => status !== 201)) {
      expect(refusalOf(answer)).toMatchObject({ status: 409, code: 'idempotency_key_in_use' });
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    expect(made.filter(answer => replayed(answer) === null)).toHaveLength(1);
  });

  test('is refused while its request runs', async () => {
    // The first waits for the row of the project, which this transaction has locked.
    await post('/tokens', { name: 'makes the project', project: 'locked' }, { with: 'other' });
    let first: Promise<Answer> | undefined;
    await database.db.transaction(async tx => {
      await tx.execute(sql`select 1 from projects where name = 'locked' for update`);
      first = post('/tokens', { name: 'running', project: 'locked' });
      await expect.poll(async () => (await rows()).filter(({ answer }) => answer === null).length).toBe(1);
      const second = await post('/tokens', { name: 'running', project: 'locked' }, { at: 1 });
      expect(refusalOf(second)).toMatchObject({ status: 409, code: 'idempotency_key_in_use' });
      expect(refusalOf(await post('/tokens', { name: 'another' }))).toMatchObject({ status: 422 });
    });
    expect((await first)?.status).toBe(201);
    expect(await named('running')).toHaveLength(1);
  });

  test('of each caller is its own', async () => {
    const person = await makePerson(controls[0] as TestControl, 'ann', 'admin');
    const mine = await post('/tokens', { name: 'of admin' });
    const hers = await person.api('POST', '/tokens', { name: 'of ann' }, { 'idempotency-key': key });
    expect([mine.status, hers.status]).toEqual([201, 201]);
    expect((mine.body as IssuedToken).token).not.toBe((hers.body as IssuedToken).token);
  });

  test('works for service accounts, rotations and passwords', async () => {
    await (controls[0] as TestControl).api('PUT', '/users/ben', {});
    const account = await post('/accounts', { name: 'ci', role: 'admin', expiresAt: inDays(1) });
    const { id } = account.body as { id: string };
    const token = await (controls[0] as TestControl).issue({ name: 'rotated' });
    const requests: [string, object][] = [
      ['/accounts', { name: 'ci', role: 'admin', expiresAt: inDays(2) }],
      [`/accounts/${id}/rotate`, { expiresAt: inDays(3) }],
      [`/tokens/${token.id}/rotate`, {}],
      ['/users/ben/password', {}],
    ];
    for (const [at, [path, body]] of requests.entries()) {
      const headers = { with: `each-${at}` };
      const [first, again] = [await post(path, body, headers), await post(path, body, headers)];
      expect([path, first.status < 300, again.body, replayed(again)]).toEqual([
        path,
        true,
        first.body,
        'true',
      ]);
    }
  });

  test('of a request that failed is free', async () => {
    expect((await post('/tokens', { name: '' })).status).toBe(400);
    expect((await post('/tokens', { name: 'second try' })).status).toBe(201);
  });

  test('that its control left behind is free after a while, and its answer is kept if the change was made', async () => {
    await post('/tokens', { name: 'left' });
    const past = sql`now() - interval '1 second'`;
    await database.db.update(idempotencyKeys).set({ claimedUntil: sql`now() + interval '1 minute'` });
    expect((await post('/tokens', { name: 'left' })).status).toBe(409);
    await database.db.update(idempotencyKeys).set({ claimedUntil: past });
    expect(replayed(await post('/tokens', { name: 'left' }))).toBe('true');
    await database.db.update(idempotencyKeys).set({ answer: null });
    expect([replayed(await post('/tokens', { name: 'left' })), (await named('left')).length]).toEqual([
      null,
      2,
    ]);
  });

  test('is forgotten after a day, with its answer', async () => {
    await post('/tokens', { name: 'day' });
    await database.db.update(idempotencyKeys).set({ expiresAt: sql`now() - interval '1 second'` });
    await retain({ db: database.db, attemptsMs: 86_400_000, rollupsMs: 86_400_000 });
    expect(await rows()).toEqual([]);
    expect(replayed(await post('/tokens', { name: 'day' }))).toBeNull();
    expect(await named('day')).toHaveLength(2);
  });

  test('whose answer was sealed with another master key is refused', async () => {
    await post('/tokens', { name: 'sealed' });
    await database.db.update(idempotencyKeys).set({ answer: 'v1.AAAA' });
    expect(refusalOf(await post('/tokens', { name: 'sealed' }))).toMatchObject({ status: 422 });
  });

  test.each(['', 'x'.repeat(256), 'kéy'])('cannot be %j', async wrong => {
    const refused = refusalOf(await post('/tokens', { name: 'x' }, { with: wrong }));
    expect(refused).toMatchObject({ status: 400, param: 'Idempotency-Key' });
  });
});

test('a repetition after NATS was away makes the token', async () => {
  const stage = await Stage.withOwnNats();
  try {
    const clock = new ManualClock(Date.now());
    const control = await stage.control({ GATEWAY_DATA: await stage.folder() }, { clock });
    const post = () =>
      send(
        control,
        'POST',
        '/tokens',
        { name: 'again' },
        {
          authorization: `Bearer ${adminToken}`,
          'idempotency-key': 'k',
        },
      );
    await pauseProcess(stage.nats.pid);
    const failed = await passing(clock, post(), 100);
    process.kill(stage.nats.pid, 'SIGCONT');
    expect(failed.status).toBe(503);
    await expect.poll(async () => (await post()).status).toBe(201);
    expect((await control.tokens()).map(({ name }) => name)).toEqual(['again']);
  } finally {
    await stage.clear();
  }
});
