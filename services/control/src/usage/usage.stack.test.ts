import { endpoints, type ResponseOf } from '@model-gateway/admin-api';
import { UsageWriter } from '@model-gateway/bus';
import { noUsage, type UsageRecord } from '@model-gateway/canonical';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { adminToken, type TestControl } from '../testing/control.ts';
import { refusalOf } from '../testing/refusal.ts';
import { Stage } from '../testing/stage.ts';

type UsagePage = ResponseOf<'listUsage'>;

let stage: Stage;
let writer: UsageWriter;
beforeEach(async () => {
  stage = await Stage.set();
  writer = new UsageWriter(stage.bus);
});
afterEach(async () => {
  await writer.close();
  await stage.clear();
});

/** Makes ids that sort by number, as attempt ids sort by time. */
const id = (n: number) => `019a0000-0000-7000-8000-${String(n).padStart(12, '0')}`;

function record(n: number, more: Partial<UsageRecord> = {}): UsageRecord {
  return {
    id: id(n),
    requestId: `req_${n}`,
    at: Date.UTC(2026, 0, 1 + n),
    ms: 12.6,
    firstMs: 3.2,
    operation: 'generate',
    format: 'chat',
    stream: true,
    model: 'fast',
    provider: 'p',
    upstreamModel: 'u',
    tokenId: 'token',
    project: 'default',
    outcome: 'answered',
    finishReason: 'length',
    charged: true,
    usage: {
      ...noUsage,
      input: 10,
      cachedInput: 4,
      output: n,
      units: { images: 2, seconds: 1.5 },
      raw: { completion_tokens: n },
    },
    ...more,
  };
}

async function page(control: TestControl, query = ''): Promise<UsagePage> {
  return (await control.api('GET', `/usage${query}`)).body as UsagePage;
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

async function untilStored(control: TestControl, count: number): Promise<UsagePage> {
  return vi.waitFor(
    async () => {
      const found = await page(control, '?limit=1000');
      expect(found.data).toHaveLength(count);
      return found;
    },
    { timeout: 60_000 },
  );
}

test('records that are written while control is down are in the ledger once each after its start', async () => {
  const GATEWAY_DATA = await stage.folder();
  await (await stage.control({ GATEWAY_DATA })).stop();
  for (let n = 0; n < 250; n++) writer.add(record(n));
  for (let n = 240; n < 260; n++) writer.add(record(n));
  const control = await stage.control({ GATEWAY_DATA });
  const { data } = await untilStored(control, 260);
  expect(data[0]).toEqual({
    id: id(259),
    requestId: 'req_259',
    at: new Date(Date.UTC(2026, 0, 260)).toISOString(),
    ms: 13,
    firstMs: 3,
    operation: 'generate',
    format: 'chat',
    stream: true,
    model: 'fast',
    fallback: null,
    provider: 'p',
    upstreamModel: 'u',
    token: 'token',
    project: 'default',
    owner: null,
    tags: {},
    outcome: 'answered',
    error: null,
    endedBy: null,
    finishReason: 'length',
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
      estimated: false,
    },
  });
});

test("a worker's record replaces that of its caller, whichever arrives first", async () => {
  const control = await stage.control({ GATEWAY_DATA: await stage.folder() });
  const lost = { outcome: 'lost', byCaller: true, usage: null } as const;
  writer.add(record(1, lost));
  writer.add(record(2));
  writer.add(record(3, lost));
  writer.add(record(3));
  await untilStored(control, 3);
  writer.add(record(1));
  writer.add(record(2, lost));
  writer.add(record(4, lost));
  const { data } = await untilStored(control, 4);
  expect(data.map(({ outcome, usage }) => [outcome, usage?.output])).toEqual([
    ['lost', undefined],
    ['answered', 3],
    ['answered', 2],
    ['answered', 1],
  ]);
});

test('an attempt whose caller received nothing is not charged, even if its worker charged it', async () => {
  const control = await stage.control({ GATEWAY_DATA: await stage.folder() });
  const lost = { outcome: 'lost', byCaller: true, usage: null, charged: false } as const;
  writer.add(record(1, lost));
  writer.add(record(2));
  writer.add(record(3));
  writer.add(record(3, lost));
  await untilStored(control, 3);
  writer.add(record(1));
  writer.add(record(2, lost));
  writer.add(record(4));
  const { data } = await untilStored(control, 4);
  expect(data.map(({ outcome, charged }) => [outcome, charged])).toEqual([
    ['answered', true],
    ['answered', false],
    ['answered', false],
    ['answered', false],
  ]);
});

test('usage can be paged, filtered and summed', async () => {
  const control = await stage.control({ GATEWAY_DATA: await stage.folder() });
  for (let n = 1; n <= 5; n++) writer.add(record(n, { model: n % 2 ? 'odd' : 'even' }));
  writer.add(record(6, { model: 'odd', charged: false, outcome: 'failed' }));
  await untilStored(control, 6);
  const first = await page(control, '?limit=4');
  expect(endpoints.listUsage.response.parse(first)).toEqual(first);
  const second = await page(control, `?limit=4&cursor=${first.next}`);
  expect([...first.data, ...second.data].map(row => row.id)).toEqual([6, 5, 4, 3, 2, 1].map(id));
  expect(second.next).toBeNull();
  const some = await page(control, '?model=odd&from=2026-01-03T00:00:00Z&to=2026-01-05T00:00:00Z');
  expect(some.data.map(row => row.id)).toEqual([id(3)]);
  const totals = await control.api('GET', '/usage/totals?by=model');
  const audio = { audioInput: 0, imageInput: 0, audioOutput: 0 };
  const sums = {
    ...audio,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    reasoning: 0,
    characters: 0,
    searches: 0,
    cost: 0,
  };
  expect(totals.body).toEqual({
    by: 'model',
    data: [
      {
        ...sums,
        key: 'even',
        requests: 2,
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
        requests: 3,
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
  const days = await control.api('GET', '/usage/totals?by=day&to=2026-01-04T00:00:00Z');
  expect(days.body).toMatchObject({ data: [{ key: '2026-01-02' }, { key: '2026-01-03' }] });
});

test('usage can be filtered and summed by owner and by tags', async () => {
  const control = await stage.control({ GATEWAY_DATA: await stage.folder() });
  const tags = { team: 'search', 'a:b': 'c "d"' };
  writer.add(record(1, { owner: 'ada', tags }));
  writer.add(record(2, { owner: 'ada', tags: { team: 'ads' } }));
  writer.add(record(3, { owner: 'bob', tags: { env: 'prod', team: 'search' } }));
  writer.add(record(4));
  const { data } = await untilStored(control, 4);
  expect(data.map(row => [row.owner, row.tags])).toEqual([
    [null, {}],
    ['bob', { env: 'prod', team: 'search' }],
    ['ada', { team: 'ads' }],
    ['ada', tags],
  ]);
  const found = async (query: string) => (await page(control, query)).data.map(row => row.requestId);
  expect(await found('?owner=ada')).toEqual(['req_2', 'req_1']);
  expect(await found('?tag=team:search')).toEqual(['req_3', 'req_1']);
  expect(await found('?tag=team:search&tag=env:prod')).toEqual(['req_3']);
  expect(await found('?tag=team:search&owner=ada')).toEqual(['req_1']);
  const totals = async (query: string) => {
    const { body } = await control.api('GET', `/usage/totals${query}`);
    const { data } = endpoints.totalUsage.response.parse(body);
    return data.map(({ key, requests, output }) => [key, requests, output]);
  };
  expect(await totals('?by=owner')).toEqual([
    ['ada', 2, 3],
    ['bob', 1, 3],
    [null, 1, 4],
  ]);
  expect(await totals('?by=tag:team')).toEqual([
    ['ads', 1, 2],
    ['search', 2, 4],
    [null, 1, 4],
  ]);
  expect(await totals('?by=tag:a:b&owner=ada')).toEqual([
    ['c "d"', 1, 1],
    [null, 1, 2],
  ]);
  expect(await totals('?by=day&tag=env:prod')).toEqual([['2026-01-04', 1, 3]]);
});

test('pages are in the order of time, whatever the ids, and hold each of the attempts of one time once', async () => {
  const control = await stage.control({ GATEWAY_DATA: await stage.folder() });
  const [early, late] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)];
  for (const n of [5, 2, 7, 4, 1, 6, 3]) writer.add(record(n, { at: n < 4 ? late : early }));
  await untilStored(control, 7);
  const listed: string[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const found: UsagePage = await page(control, `?limit=2${next && `&cursor=${next}`}`);
    listed.push(...found.data.map(({ requestId }) => requestId));
    next = found.next;
  }
  const newestFirst = [3, 2, 1, 7, 6, 5, 4].map(n => `req_${n}`);
  expect(listed).toEqual(newestFirst);
  const exported = await exportOf(control, '?format=csv');
  expect(exported.lines.slice(1).map(line => line.split(',')[1])).toEqual(newestFirst.toReversed());
});

test('an invalid query is refused in words that name the parameter and what it must be', async () => {
  const control = await stage.control({ GATEWAY_DATA: await stage.folder() });
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
  for (let n = 0; n < 1_005; n++) writer.add(record(n, { project: n % 2 ? 'odd' : 'even' }));
  const control = await stage.control({ GATEWAY_DATA: await stage.folder() });
  await untilStored(control, 1_000);
  const read = (query: string) => exportOf(control, query);
  const count = async () => (await read('')).lines.length;
  await expect.poll(count).toBe(1_006);
  const csv = await read('?format=csv&project=odd');
  expect(csv.type).toBe('text/csv; charset=utf-8');
  expect(csv.lines).toHaveLength(503);
  expect(csv.lines[1]).toMatch(/^019a0000-0000-7000-8000-000000000001,req_1,/);
  const jsonl = await read('?format=jsonl');
  expect(jsonl.type).toBe('application/x-ndjson; charset=utf-8');
  const { data } = (await control.api('GET', '/usage?limit=1')).body as UsagePage;
  expect(JSON.parse(jsonl.lines.at(-1) ?? '')).toEqual(data[0]);
  expect((await control.api('GET', '/usage/export?format=xml')).status).toBe(400);
  expect((await control.api('GET', '/usage/export', undefined, '')).status).toBe(401);
});
