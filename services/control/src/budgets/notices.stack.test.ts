import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UsageWriter } from '@model-gateway/bus';
import { noUsage } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import { ConfigError, createLog } from '@model-gateway/service';
import { type SQLWrapper, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { budgetNotices } from '../database/tables.ts';
import { projectGroups, setGroup } from '../people/token-groups.ts';
import type { TestControl } from '../testing/control.ts';
import { eventually } from '../testing/eventually.ts';
import { Stage } from '../testing/stage.ts';
import { openTestDatabase } from '../testing/test-database.ts';
import { usageRecord } from '../testing/usage-record.ts';
import { addToLedger } from '../usage/ledger.ts';
import { toRow } from '../usage/row.ts';
import { BudgetNotices } from './notices.ts';
import { signatureOf, webhookMs } from './webhook.ts';

const placeOf = () => ({ file: 'gateway.yaml', line: null });

const key = Buffer.from('a secret that both sides know');
const secret = `whsec_${key.toString('base64')}`;

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

interface Notice {
  type: string;
  data: { owner: object; threshold: number; spent: number; budget: object; resetsAt: string | null };
}

let stage: Stage;
let clock: ManualClock;
let settings: Record<string, string>;
let control: TestControl;
let writer: UsageWriter;
let receiver: Server;
const received: Received[] = [];
/** The statuses of the next answers; 204 after them. A request whose status is `never` gets no answer. */
const statuses: number[] = [];
const never = 0;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', chunk => (body += chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      const status = statuses.shift() ?? 204;
      if (status !== never) response.writeHead(status).end();
    });
  });
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
  stage = await Stage.set();
  settings = {
    ...(await stage.withCatalog(catalog)),
    GATEWAY_BUDGET_WEBHOOK: url(),
    GATEWAY_BUDGET_WEBHOOK_SECRET: secret,
    GATEWAY_BUDGET_THRESHOLDS: '50,100',
  };
  clock = new ManualClock(Date.now());
  control = await stage.control(settings, { clock });
  writer = new UsageWriter(stage.bus);
});
afterAll(async () => {
  await writer?.close();
  await stage?.clear();
  receiver?.close();
});

const url = () => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;

const catalog = `
providers:
  - { name: house, kind: openai-compatible, baseUrl: "http://127.0.0.1:1/v1" }
models:
  - { name: fast, targets: [ { provider: house, model: small } ], price: { output: 10000 } }
projects:
  - { name: lab, budget: { amount: 10, period: week } }
`;

let last = 0;

/** Records an attempt that costs so many dollars. */
function spend(dollars: number, tokenId: string, project = 'default'): void {
  const usage = { ...noUsage, output: Math.round(dollars * 100) };
  const named = { provider: 'house', upstreamModel: 'small', tokenId, project };
  writer.add(usageRecord(++last, { ...named, at: Date.now(), usage }));
}

const noticesOf = (id: string) =>
  received
    .map(({ body }) => JSON.parse(body) as Notice)
    .filter(({ data }) => Object.values(data.owner).includes(id));

test('each threshold of a budget is told once, signed', async () => {
  const { id } = await control.issue({ name: 'one', budget: { amount: 4, period: 'month' } });
  spend(1, id);
  spend(1, id);
  await eventually(clock, () => expect(noticesOf(id)).toHaveLength(1));
  expect(noticesOf(id)[0]).toMatchObject({
    type: 'budget.threshold',
    data: {
      owner: { kind: 'token', id },
      budget: { amount: 4, period: 'month' },
      threshold: 50,
      spent: 2,
      resetsAt: expect.stringMatching(/-01T00:00:00\.000Z$/),
    },
  });
  spend(3, id);
  await eventually(clock, () => expect(noticesOf(id)).toHaveLength(2));
  spend(1, id);
  // Two notices of another budget show that this one was checked again, and that what was found was sent.
  const { id: later } = await control.issue({ name: 'later', budget: { amount: 2, period: 'month' } });
  for (const count of [1, 2]) {
    spend(1, later);
    await eventually(clock, () => expect(noticesOf(later)).toHaveLength(count));
  }
  expect(noticesOf(id).map(({ data }) => data.threshold)).toEqual([50, 100]);
  for (const { headers, body } of received) {
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const signature = createHmac('sha256', key).update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signature}`);
    expect(Math.abs(Number(headers['webhook-timestamp']) * 1_000 - clock.now())).toBeLessThan(60_000);
  }
});

test('a notice that the receiver does not take is sent again, later each time, and after a restart', async () => {
  const database = await openTestDatabase('PGlite');
  onTestFinished(() => database.remove());
  const { db } = database;
  await setGroup(db, projectGroups, 'unheard', { budget: { amount: 1, period: 'total' } }, { placeOf });
  const { row } = toRow(usageRecord(1, { at: Date.now(), project: 'unheard', usage: noUsage }), 0);
  await addToLedger(database, [{ ...row, cost: 0.75, priceVersion: 'test' }]);
  const time = new ManualClock(Date.now());
  const start = () => {
    const stopped = new AbortController();
    const notices = new BudgetNotices({
      ...{ db, clock: time, log: createLog('control', 'silent') },
      ...{ thresholds: [50], webhook: { url: url(), secret } },
    });
    notices.used([row]);
    const ended = notices.run(stopped.signal);
    return async () => {
      stopped.abort();
      await ended;
    };
  };
  const sent = () => received.filter(({ body }) => body.includes('"unheard"'));
  const untilSent = (count: number) => eventually(time, () => expect(sent()).toHaveLength(count));
  /** The time of the database and that of the next attempt, in seconds; the latter is null if there is none. */
  const times = async () => {
    const secondsOf = (time: SQLWrapper) => sql<number | null>`extract(epoch from ${time})::float`;
    const [found] = await db
      .select({ now: secondsOf(sql`now()`), next: secondsOf(budgetNotices.nextAttemptAt) })
      .from(sql`(values (1)) as one`)
      .leftJoin(budgetNotices, sql`true`);
    return found as { now: number; next: number | null };
  };
  const makeDue = () => db.update(budgetNotices).set({ nextAttemptAt: sql`now()` });
  statuses.push(302, never, 503);
  for (const [attempt, pause] of [
    [1, 1],
    [2, 2],
    [3, 4],
  ] as const) {
    const { now: before } = await times();
    await makeDue();
    const stop = start();
    await untilSent(attempt);
    if (attempt === 2) {
      const { next } = await times();
      await time.advance(webhookMs);
      await expect.poll(async () => (await times()).next).not.toBe(next);
    }
    await stop();
    const { now: after, next } = await times();
    expect(next).toBeGreaterThanOrEqual(before + pause);
    expect(next).toBeLessThanOrEqual(after + pause);
  }
  await makeDue();
  const stop = start();
  await untilSent(4);
  await expect.poll(async () => (await times()).next).toBeNull();
  await time.advance(10_000);
  await stop();
  expect(sent()).toHaveLength(4);
  expect(new Set(sent().map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(JSON.parse(sent()[0]?.body ?? '').data).toMatchObject({ threshold: 50, resetsAt: null });
});

test('the budget of a project is told for all its tokens', async () => {
  const tokens = [
    await control.issue({ project: 'lab', name: 'a' }),
    await control.issue({ project: 'lab', name: 'b' }),
  ];
  for (const { id } of tokens) spend(3, id, 'lab');
  await eventually(clock, () => expect(noticesOf('lab')).toHaveLength(1));
  expect(noticesOf('lab')[0]?.data).toMatchObject({ owner: { kind: 'project', name: 'lab' }, spent: 6 });
});

test('a webhook without a secret is refused at the start', async () => {
  const { GATEWAY_BUDGET_WEBHOOK_SECRET: _, ...without } = settings;
  await expect(stage.control({ ...without, GATEWAY_DATA: stage.emptyFolder() })).rejects.toThrow(ConfigError);
});

test('a webhook with a password is refused at the start, without the password in the error', async () => {
  const withPassword = { ...settings, GATEWAY_BUDGET_WEBHOOK: 'https://ada:pass-word@127.0.0.1/hook' };
  const error = await stage.control({ ...withPassword, GATEWAY_DATA: stage.emptyFolder() }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ConfigError);
  expect(String(error)).not.toContain('pass-word');
});

test('a signature is that of the example in the specification', () => {
  const example = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const text = 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}';
  expect(signatureOf(example, text)).toBe('g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});
