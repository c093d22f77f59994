import type { AuditPage, RunningChangeInfo, RunningPage } from '@model-gateway/admin-api';
import { noUsage, type RunningRequest } from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { mostOfCaller } from '../running/fleet.ts';
import { type Answer, adminToken, type TestControl } from '../testing/control.ts';
import { EventReader } from '../testing/event-reader.ts';
import { makePerson, type Person } from '../testing/person.ts';
import { RunningProcess } from '../testing/running-process.ts';
import { Stage } from '../testing/stage.ts';

let stage: Stage;
let clock: ManualClock;
let control: TestControl;
let one: RunningProcess;
let other: RunningProcess;
let member: Person;
let viewer: Person;
beforeAll(async () => {
  stage = await Stage.set();
  const price = '{ input: 1, output: 2 }';
  const catalog = `providers: [{ name: p, kind: openai-compatible, baseUrl: "http://127.0.0.1:9" }]
models: [{ name: fast, price: ${price}, targets: [{ provider: p, model: m }] }]`;
  clock = new ManualClock(Date.now());
  control = await stage.control(await stage.withCatalog(catalog), { clock });
  // From now on control knows the processes.
  await clock.advance(1_000);
  await control.api('PUT', '/projects/lab', {});
  [member, viewer] = await Promise.all([makePerson(control, 'mia'), makePerson(control, 'vic')]);
  await control.api('PUT', '/projects/lab/members/mia', { role: 'member' });
  await control.api('PUT', '/projects/lab/members/vic', { role: 'viewer' });
});
afterAll(() => stage.clear());
beforeEach(async () => {
  [one, other] = [new RunningProcess(stage.bus), new RunningProcess(stage.bus)];
  await stage.bus.state.flush();
});
afterEach(() => {
  for (const process of [one, other]) process.close();
});

const list = async (query = '', { api }: Pick<Person | TestControl, 'api'> = control) =>
  (await api('GET', `/running-requests${query}`)).body as RunningPage;
const idsOf = ({ data }: RunningPage) => data.map(({ requestId }) => requestId);
const follow = (query = '', headers: Record<string, string> = { authorization: `Bearer ${adminToken}` }) =>
  EventReader.open<RunningChangeInfo>(`${control.url}/api/v1/running-requests/follow${query}`, headers);
const requestsOf = ({ events }: EventReader<RunningChangeInfo>) =>
  events.map(({ data }) => data.request.requestId);

describe('the requests in flight', () => {
  test('of all processes are listed in pages, oldest first, each once', async () => {
    const at = Date.now() - 60_000;
    const all = Array.from({ length: 10 }, (_, i) =>
      (i % 2 ? one : other).add({ at: at + Math.floor(i / 3) }),
    );
    const order = all.toSorted((a, b) => a.at - b.at || (a.requestId < b.requestId ? -1 : 1));
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: RunningPage = await list(`?limit=3${cursor && `&cursor=${cursor}`}`);
      expect([page.total, page.unanswered]).toEqual([10, []]);
      seen.push(...idsOf(page));
      cursor = page.next;
    }
    expect(seen).toEqual(order.map(({ requestId }) => requestId));
  });

  test('are shown with their facts, and null for what is not known', async () => {
    const request = one.add({ state: 'waiting', model: '', attempts: 0 });
    const { provider: _, upstreamModel: __, client: ___, operation: ____, ...bare } = request;
    one.requests.set(request.requestId, bare);
    const { data } = await list();
    expect(data).toEqual([
      {
        ...{ requestId: request.requestId, at: new Date(request.at).toISOString(), ms: 1, state: 'waiting' },
        ...{ endpoint: '/v1/chat/completions', format: 'chat', operation: null, model: '', stream: true },
        ...{ token: 't', tokenName: 'one', project: 'default', owner: null, client: null, provider: null },
        ...{ upstreamModel: null, fallback: null, attempts: 0, failovers: 0, firstMs: null },
        ...{ answerBytes: 0, process: one.name },
      },
    ]);
  });

  test.each(['token', 'project', 'owner', 'model', 'provider', 'format', 'state'])(
    'are filtered by %s',
    async name => {
      const field = name === 'token' ? 'tokenId' : name;
      const value = name === 'state' ? 'queued' : 'wanted';
      const wanted = one.add({ [field]: value });
      other.add();
      expect(idsOf(await list(`?${name}=${value}`))).toEqual([wanted.requestId]);
    },
  );

  test.each([
    ['cursor=x', 'cursor'],
    ['limit=0', 'limit'],
    ['state=odd', 'state'],
    ['token=', 'token'],
    ['colour=red', 'colour'],
  ])('are not listed for %s', async (query, param) => {
    const { status, body } = await control.api('GET', `/running-requests?${query}`);
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(`"${param}"`)]);
  });

  test('are listed for a member if they are of own tokens, and for a viewer if they are of the project', async () => {
    const mine = one.add({ project: 'lab', owner: 'mia' });
    const theirs = other.add({ project: 'lab', owner: 'vic' });
    one.add({ owner: 'mia' });
    expect(idsOf(await list('', member))).toEqual([mine.requestId]);
    expect(idsOf(await list('', viewer)).sort()).toEqual([mine.requestId, theirs.requestId].sort());
    expect((await viewer.api('GET', '/running-requests?project=default')).status).toBe(403);
  });
});

describe('ending a request', () => {
  /** Asks to end a request of which its process says nothing, and lets the time pass after which control gives up. */
  async function endInVain(requestId: string, silentAt: 'find' | 'end'): Promise<Answer> {
    const answer = control.api('DELETE', `/running-requests/${requestId}`);
    await expect.poll(() => one.asked).toContain(silentAt);
    await clock.advance(5_000);
    return answer;
  }

  test('is done by its process, and is in the audit log', async () => {
    const { requestId } = other.add({ project: 'lab' });
    expect((await control.api('DELETE', `/running-requests/${requestId}`)).status).toBe(204);
    expect(other.ended).toEqual([[requestId, 'admin token']]);
    const { data } = (await control.api('GET', `/audit?action=endRunning&subject=${requestId}`))
      .body as AuditPage;
    expect(data).toMatchObject([
      { subjectKind: 'request', project: 'lab', before: { requestId }, after: null },
    ]);
  });

  test('that has ended meanwhile is a 404, and leaves nothing in the audit log', async () => {
    const { requestId } = one.add();
    one.endsNothing = true;
    expect((await control.api('DELETE', `/running-requests/${requestId}`)).status).toBe(404);
    const { body } = await control.api('GET', `/audit?subject=${requestId}`);
    expect((body as AuditPage).data).toEqual([]);
    expect((await control.api('DELETE', '/running-requests/req_unknown')).body).toMatchObject({
      code: 'request_not_found',
    });
  });

  test('is a 503 if a process does not say whether it has the request', async () => {
    const { requestId } = one.add();
    one.answersNothing = true;
    const { status, body } = await endInVain(requestId, 'find');
    expect([status, body]).toMatchObject([503, { detail: expect.stringContaining(one.name) }]);
  });

  test('is a 503 if its process does not say that it did, and is in the audit log', async () => {
    const { requestId } = one.add();
    one.endsInSilence = true;
    expect((await endInVain(requestId, 'end')).status).toBe(503);
    const { body } = await control.api('GET', `/audit?subject=${requestId}`);
    expect((body as AuditPage).data).toMatchObject([{ action: 'endRunning' }]);
  });

  test('is allowed to a member for own tokens, and not to a viewer', async () => {
    const mine = one.add({ project: 'lab', owner: 'mia' });
    const theirs = one.add({ project: 'lab', owner: 'vic' });
    const elsewhere = one.add({ owner: 'mia' });
    const statusOf = async (person: Person, { requestId }: RunningRequest) =>
      (await person.api('DELETE', `/running-requests/${requestId}`)).status;
    expect(await statusOf(member, theirs)).toBe(403);
    expect(await statusOf(member, elsewhere)).toBe(404);
    expect(await statusOf(viewer, theirs)).toBe(403);
    expect(one.ended).toEqual([]);
    expect(await statusOf(member, mine)).toBe(204);
    expect(one.ended).toEqual([[mine.requestId, 'mia']]);
  });
});

describe('a follower', () => {
  test('gets what its filter names, with the cost of an end', async () => {
    await using followed = await follow('?project=lab');
    expect(followed.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const [wanted, hidden] = [one.add({ project: 'lab' }), one.add()];
    const usage = { ...noUsage, input: 1_000_000, output: 1_000_000 };
    await expect.poll(() => one.follows).toBeGreaterThan(0);
    one.tell({ type: 'started', request: hidden }, { type: 'started', request: wanted });
    one.tell({ type: 'ended', request: wanted, end: { status: 200, usage } });
    await expect.poll(() => followed.events.map(({ name }) => name)).toEqual(['started', 'ended']);
    expect(new Set(requestsOf(followed))).toEqual(new Set([wanted.requestId]));
    expect(followed.events[1]?.data.end).toEqual({
      ...{ status: 200, error: null, endedBy: null },
      ...{ usage: { input: 1_000_000, output: 1_000_000 }, cost: 3 },
    });
  });

  test('sees what the caller may see, until the session ends', async () => {
    const eva = await makePerson(control, 'eva');
    await control.api('PUT', '/projects/lab/members/eva', { role: 'member' });
    await using followed = await follow('', { cookie: eva.cookie });
    await expect.poll(() => one.follows).toBeGreaterThan(0);
    const [mine, theirs] = [
      one.add({ project: 'lab', owner: 'eva' }),
      one.add({ project: 'lab', owner: 'vic' }),
    ];
    one.tell({ type: 'started', request: theirs }, { type: 'started', request: mine });
    await expect.poll(() => requestsOf(followed)).toEqual([mine.requestId]);
    await eva.api('DELETE', '/session');
    await clock.advance(5_000);
    await followed.ended;
  });

  test('ends when the role is taken away', async () => {
    const tom = await makePerson(control, 'tom');
    await control.api('PUT', '/projects/lab/members/tom', { role: 'viewer' });
    await using followed = await follow('', { cookie: tom.cookie });
    await control.api('DELETE', '/projects/lab/members/tom');
    await clock.advance(5_000);
    await followed.ended;
  });

  test('is one of a bounded number of the same caller, and is told of changes that were left out', async () => {
    await using all = new AsyncDisposableStack();
    const [first] = await Promise.all(
      Array.from({ length: mostOfCaller }, async () => all.use(await follow())),
    );
    await expect(follow()).rejects.toThrow('status 503');
    await expect.poll(() => one.follows).toBeGreaterThan(0);
    one.miss(7);
    await expect.poll(() => first?.events).toEqual([{ name: 'missed', data: { changes: 7 } }]);
  });

  test('ends after the time that it names, and HEAD has no body', async () => {
    const followed = await follow('?seconds=30');
    await clock.advance(29_000);
    one.miss(1);
    await expect.poll(() => followed.events).toHaveLength(1);
    await clock.advance(1_000);
    await followed.ended;
    const url = `${control.url}/api/v1/running-requests/follow`;
    const head = await fetch(url, { method: 'HEAD', headers: { authorization: `Bearer ${adminToken}` } });
    expect([head.status, head.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
  });

  test('that left lets processes stop: they are not asked for changes any more', async () => {
    const followed = await follow();
    await expect.poll(() => one.follows).toBeGreaterThan(0);
    await followed[Symbol.asyncDispose]();
    const duringFiveSeconds = async () => {
      const { follows } = one;
      await clock.advance(5_000);
      // This question comes after all that control has sent before.
      await list();
      return one.follows - follows;
    };
    await expect.poll(duringFiveSeconds).toBe(0);
  });

  test('ends when control drains', async () => {
    const followed = await follow();
    await control.running.drain?.(new AbortController().signal);
    await followed.ended;
  });
});
