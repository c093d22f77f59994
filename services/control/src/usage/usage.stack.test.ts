import { endpoints, type ResponseOf } from '@model-gateway/admin-api';
import { UsageWriter } from '@model-gateway/bus';
import { noUsage } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { adminToken, type TestControl, until } from '../testing/control.ts';
import { eventually } from '../testing/eventually.ts';
import { refusalOf } from '../testing/refusal.ts';
import { Stage } from '../testing/stage.ts';
import { usageRecord } from '../testing/usage-record.ts';

type UsagePage = ResponseOf<'listUsage'>;

let stage: Stage;
let clock: ManualClock;
let env: { GATEWAY_DATA: string };
let control: TestControl;
let writer: UsageWriter;
beforeAll(async () => {
  stage = await Stage.set();
  clock = new ManualClock(Date.now());
  env = { GATEWAY_DATA: await stage.folder() };
  control = await stage.control(env, { clock });
  writer = new UsageWriter(stage.bus);
});
afterAll(async () => {
  await writer.close();
  await stage.clear();
});

/** The number of the test. Each has attempts of its own, with a token of its own. */
let tests = 0;
let token: string;
beforeEach(() => {
  token = `token-${++tests}`;
});

/** Makes ids that sort by number, as attempt ids sort by time. */
const id = (n: number) => `019a0000-0000-7000-${8_000 + tests}-${String(n).padStart(12, '0')}`;

function record(n: number, more: object = {}) {
  const counts = { input: 10, cachedInput: 4, output: n, units: { images: 2, seconds: 1.5 } };
  return usageRecord(n, {
    ...{ id: id(n), at: Date.UTC(2026, 0, 1 + n), ms: 12.6, firstMs: 3.2, tokenId: token },
    ...{ finishReason: 'length', usage: { ...noUsage, ...counts, raw: { completion_tokens: n } } },
    ...more,
  });
}

async function page(query = ''): Promise<UsagePage> {
  return (await control.api('GET', `/usage?token=${token}${query}`)).body as UsagePage;
}

async function exportOf(control: TestControl, query: string) {
  const response = await fetch(`${control.url}/api/v1/usage/export${query}`, {
    headers: { authorization: `Bearer ${adminToken}` },
  });
  return {
    type: response.headers.get('content-type'),
    lines: (await response.text()).trimEnd().split(/\r?\n/),
  };
}

async function untilStored(count: number): Promise<UsagePage> {
  await eventually(clock, async () => expect((await page('&limit=1000')).data).toHaveLength(count));
  return page('&limit=1000');
}

test('records that are written while control is down are in the ledger once each after its start', async () => {
  await control.stop();
  const at = (n: number) => Date.UTC(2026, 0, 1) + n * 60_000;
  for (let n = 0; n < 250; n++) writer.add(record(n, { at: at(n) }));
  for (let n = 240; n < 260; n++) writer.add(record(n, { at: at(n) }));
  control = await stage.control(env, { clock });
  const { data } = await untilStored(260);
  expect(data[0]).toEqual({
    id: id(259),
    requestId: 'req_259',
    at: new Date(at(259)).toISOString(),
    ms: 13,
    firstMs: 3,
    operation: 'generate',
    format: 'chat',
    stream: true,
    model: 'fast',
    fallback: null,
    provider: 'p',
    upstreamModel: 'u',
    token,
    project: 'default',
    owner: null,
    tags: {},
    outcome: 'answered',
    error: null,
    upstreamStatus: null,
    upstreamMessage: null,
    final: true,
    endedBy: null,
    finishReason: 'length',
    hostedTools: [],
    serviceTier: null,
    charged: true,
    cost: null,
    priceVersion: null,
    usage: {
      input: 10,
      cachedInput: 4,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      audioInput: 0,
      imageInput: 0,
      output: 259,
      reasoning: 0,
      audioOutput: 0,
      images: 2,
      seconds: 1.5,
      characters: 0,
      searches: 0,
      webSearches: 0,
      estimated: false,
    },
  });
});

test('usage can be paged, filtered and summed', async () => {
  for (let n = 1; n <= 5; n++) writer.add(record(n, { model: n % 2 ? 'odd' : 'even' }));
  writer.add(record(6, { model: 'odd', charged: false, outcome: 'failed' }));
  await untilStored(6);
  const first = await page('&limit=4');
  expect(endpoints.listUsage.response.parse(first)).toEqual(first);
  const second = await page(`&limit=4&cursor=${first.next}`);
  expect([...first.data, ...second.data].map(row => row.id)).toEqual([6, 5, 4, 3, 2, 1].map(id));
  expect(second.next).toBeNull();
  const some = await page('&model=odd&from=2026-01-03T00:00:00Z&to=2026-01-05T00:00:00Z');
  expect(some.data.map(row => row.id)).toEqual([id(3)]);
  const totals = await control.api('GET', `/usage/totals?token=${token}&by=model`);
  const audio = { audioInput: 0, imageInput: 0, audioOutput: 0 };
  const sums = {
    ...audio,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    reasoning: 0,
    characters: 0,
    searches: 0,
    cost: 0,
    unchargedCost: 0,
  };
  expect(totals.body).toEqual({
    by: 'model',
    data: [
      {
        ...sums,
        key: 'even',
        requests: 2,
        failed: 0,
        attempts: 2,
        unpriced: 2,
        input: 20,
        cachedInput: 8,
        output: 6,
        images: 4,
        seconds: 3,
      },
      {
        ...sums,
        key: 'odd',
        requests: 4,
        failed: 1,
        attempts: 4,
        unpriced: 3,
        input: 30,
        cachedInput: 12,
        output: 9,
        images: 6,
        seconds: 4.5,
      },
    ],
  });
  expect(endpoints.totalUsage.response.parse(totals.body)).toEqual(totals.body);
  const days = await control.api('GET', `/usage/totals?token=${token}&by=day&to=2026-01-04T00:00:00Z`);
  expect(days.body).toMatchObject({ data: [{ key: '2026-01-02' }, { key: '2026-01-03' }] });
});

test('usage can be filtered and summed by owner and by tags', async () => {
  const tags = { team: 'search', 'a:b': 'c "d"' };
  writer.add(record(1, { owner: 'ada', tags }));
  writer.add(record(2, { owner: 'ada', tags: { team: 'ads' } }));
  writer.add(record(3, { owner: 'bob', tags: { env: 'prod', team: 'search' } }));
  writer.add(record(4));
  const { data } = await untilStored(4);
  expect(data.map(row => [row.owner, row.tags])).toEqual([
    [null, {}],
    ['bob', { env: 'prod', team: 'search' }],
    ['ada', { team: 'ads' }],
    ['ada', tags],
  ]);
  const found = async (query: string) => (await page(query)).data.map(row => row.requestId);
  expect(await found('&owner=ada')).toEqual(['req_2', 'req_1']);
  expect(await found('&tag=team:search')).toEqual(['req_3', 'req_1']);
  expect(await found('&tag=team:search&tag=env:prod')).toEqual(['req_3']);
  expect(await found('&tag=team:search&owner=ada')).toEqual(['req_1']);
  const totals = async (query: string) => {
    const { body } = await control.api('GET', `/usage/totals?token=${token}${query}`);
    const { data } = endpoints.totalUsage.response.parse(body);
    return data.map(({ key, requests, output }) => [key, requests, output]);
  };
  expect(await totals('&by=owner')).toEqual([
    ['ada', 2, 3],
    ['bob', 1, 3],
    [null, 1, 4],
  ]);
  expect(await totals('&by=tag:team')).toEqual([
    ['ads', 1, 2],
    ['search', 2, 4],
    [null, 1, 4],
  ]);
  expect(await totals('&by=tag:a:b&owner=ada')).toEqual([
    ['c "d"', 1, 1],
    [null, 1, 2],
  ]);
  expect(await totals('&by=day&tag=env:prod')).toEqual([['2026-01-04', 1, 3]]);
});

test('pages are in the order of time, whatever the ids, and hold each of the attempts of one time once', async () => {
  const [early, late] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)];
  for (const n of [5, 2, 7, 4, 1, 6, 3]) writer.add(record(n, { at: n < 4 ? late : early }));
  await untilStored(7);
  const newestFirst = [3, 2, 1, 7, 6, 5, 4].map(n => `req_${n}`);
  // No index of the ledger knows the model.
  for (const filter of ['', '&model=fast']) {
    const listed: string[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const found: UsagePage = await page(`${filter}&limit=2${next && `&cursor=${next}`}`);
      listed.push(...found.data.map(({ requestId }) => requestId));
      next = found.next;
    }
    expect(listed).toEqual(newestFirst);
  }
  const exported = await exportOf(control, `?token=${token}&format=csv`);
  expect(exported.lines.slice(1).map(line => line.split(',')[1])).toEqual(newestFirst.toReversed());
});

test('an invalid query is refused in words that name the parameter and what it must be', async () => {
  const wrong = {
    '?limit=0': 'limit: must be at least 1.',
    '?limit=1001': 'limit: must be at most 1000.',
    '?limit=many': 'limit: must be a number.',
    '?from=yesterday': 'from: must be an RFC 3339 time such as 2030-01-31T12:00:00Z.',
    '?cursor=1': 'cursor: is not the next of a page of this list.',
    '?colour=red': 'colour: is not a known field.',
    '/totals?by=mood':
      'by: must be one of token, project, owner, model, provider, day, or a tag such as tag:team.',
    '/totals?project=': 'project: must not be empty.',
    '/export?format=xml': 'format: must be one of csv, jsonl.',
    '?tag=team': 'tag: must be a name and a value, such as team:search.',
  };
  for (const [query, message] of Object.entries(wrong)) {
    const refused = refusalOf(await control.api('GET', `/usage${query}`));
    const [param] = message.split(':');
    expect([query, refused]).toMatchObject([query, { status: 400, param, message }]);
  }
});

test('the ledger is exported as CSV and as lines of JSON, over several pages, oldest first', async () => {
  const own = await Stage.set();
  const ownWriter = new UsageWriter(own.bus);
  try {
    for (let n = 0; n < 1_005; n++) ownWriter.add(record(n, { project: n % 2 ? 'odd' : 'even' }));
    const control = await own.control({ GATEWAY_DATA: await own.folder() });
    const read = (query: string) => exportOf(control, query);
    await until(async () => (await read('')).lines.length === 1_006);
    const csv = await read('?format=csv&project=odd');
    expect(csv.type).toBe('text/csv; charset=utf-8');
    expect(csv.lines).toHaveLength(503);
    expect(csv.lines[1]).toMatch(new RegExp(`^${id(1)},req_1,`));
    const jsonl = await read('?format=jsonl');
    expect(jsonl.type).toBe('application/x-ndjson; charset=utf-8');
    const { data } = (await control.api('GET', '/usage?limit=1')).body as UsagePage;
    expect(JSON.parse(jsonl.lines.at(-1) ?? '')).toEqual(data[0]);
    expect((await control.api('GET', '/usage/export?format=xml')).status).toBe(400);
    expect((await control.api('GET', '/usage/export', undefined, '')).status).toBe(401);
  } finally {
    await ownWriter.close();
    await own.clear();
  }
});
