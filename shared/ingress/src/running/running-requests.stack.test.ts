import type { Token } from '@model-gateway/access';
import { type Bus, type Call, connectBus, FleetAsker } from '@model-gateway/bus';
import { type NatsServer, startNats } from '@model-gateway/bus/testing';
import type {
  GatewayError,
  Route,
  RunningChange,
  RunningCount,
  RunningPlace,
  RunningQuestion,
  RunningRequest,
} from '@model-gateway/canonical';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { NotedAttempt } from '../attempts/running-attempt.ts';
import { RunningEntry } from './running-entry.ts';
import { RunningRequests } from './running-requests.ts';

let nats: NatsServer;
let bus: Bus;
let clock: ManualClock;
let asker: FleetAsker;
let processes: RunningRequests[];
beforeEach(async () => {
  nats = await startNats();
  clock = new ManualClock();
  bus = await connectBus({ url: nats.url, name: 'test', clock });
  asker = new FleetAsker(bus);
  processes = [new RunningRequests(bus), new RunningRequests(bus)];
  await bus.state.flush();
  // Until then, the asker waits for processes that it may not know yet.
  await clock.advance(1_000);
});
afterEach(async () => {
  for (const process of processes) process.close();
  asker.close();
  await bus.close();
  await nats.stop();
});

const token = {
  ...{ id: 't', name: 'A token with a name of some length', project: 'lab', owner: 'mia' },
  ...{ secretHash: 'h', version: 1, expiresAt: null, revoked: false },
} satisfies Token;
const route = { provider: 'p', model: 'm' } as Route;

function noted(to: Route): NotedAttempt {
  const tracked = { began() {}, ended() {}, left() {}, overtaken() {} };
  return new NotedAttempt({ route: to, cause: 'first', tracked, span: undefined, openedAt: 0, clock });
}

let made = 0;
function add(running: RunningRequests, fields: Partial<RunningEntry> = {}): RunningEntry {
  const id = `req_${String(made++).padStart(24, '0')}`;
  const endpoint = { path: '/v1/chat/completions', format: 'chat' };
  const entry = Object.assign(new RunningEntry(running, id, endpoint, '192.0.2.1'), { token, ...fields });
  running.add(entry);
  return entry;
}

const ask = (question: RunningQuestion, options = {}) =>
  asker.ask<RunningRequest, RunningCount>(question, options);

const patience = { timeout: 60_000 };
let lists = 0;

/** Lists a page, again until both processes have answered in time. */
function listed(after: RunningPlace | undefined): Promise<RunningRequest[]> {
  return vi.waitFor(async () => {
    lists++;
    const { items, lasts, unanswered } = await ask({ type: 'list', filter: {}, after, limit: 800 });
    expect(unanswered).toEqual([]);
    expect(lasts.map(({ total }) => total)).toEqual([1_000, 1_000]);
    return items;
  }, patience);
}

/** Lets time pass, and what was sent by then arrive. */
async function pass(ms: number): Promise<void> {
  await clock.advance(ms);
  await bus.state.flush();
}

/** Hears the messages on a subject: their sizes and, if they hold changes, the changes. */
function hear(subject: string) {
  const heard = { sizes: [] as number[], changes: [] as RunningChange[], missed: 0 };
  bus.state.subscribe(subject, {
    callback(_error, message) {
      heard.sizes.push(message.data.length);
      const { changes = [], missed = 0 } = message.json<{ changes?: RunningChange[]; missed?: number }>();
      heard.changes.push(...changes);
      heard.missed += missed;
    },
  });
  return heard;
}

describe('the requests in flight of two processes', () => {
  test('are all listed in pages, in messages of a bounded size', async () => {
    const all = Array.from({ length: 2_000 }, (_, i) => add(processes[i % 2] as RunningRequests));
    const heard = hear('gateway.v1.running.answer.>');
    lists = 0;
    const seen: string[] = [];
    for (let after: RunningPlace | undefined, isLast = false; !isLast; ) {
      const items = await listed(after);
      const page = items.sort((a, b) => a.at - b.at || (a.requestId < b.requestId ? -1 : 1)).slice(0, 800);
      seen.push(...page.map(({ requestId }) => requestId));
      after = page.at(-1);
      isLast = page.length < 800;
    }
    expect(new Set(seen).size).toBe(2_000);
    expect(seen.sort()).toEqual(all.map(({ requestId }) => requestId).sort());
    expect(Math.max(...heard.sizes)).toBeLessThanOrEqual(260 * 1024);
    expect(lists).toBeGreaterThanOrEqual(3);
    // A page of a process takes several messages, and two processes answer.
    expect(heard.sizes.length).toBeGreaterThan(2 * lists);
  });

  test('show where the last attempt is', async () => {
    const entry = add(processes[0] as RunningRequests, { model: 'fast', stream: true });
    const find = async () => {
      const [item] = (await ask({ type: 'find', requestId: entry.requestId })).items;
      if (!item) throw new Error('its process has not answered in time');
      return item;
    };
    const show = () => vi.waitFor(find, patience);
    expect(await show()).toMatchObject({ state: 'waiting', attempts: 0, model: 'fast', owner: 'mia' });
    const attempt = noted(route);
    const call = { accepted: false };
    attempt.call = call as Call;
    entry.took(attempt);
    expect(await show()).toMatchObject({ state: 'queued', provider: 'p', upstreamModel: 'm', attempts: 1 });
    call.accepted = true;
    expect(await show()).toMatchObject({ state: 'running', failovers: 0 });
    entry.failed(undefined);
    expect(await show()).toMatchObject({ state: 'waiting', failovers: 1 });
    const other = noted({ ...route, provider: 'q', fallback: 'other' });
    entry.took(other);
    entry.answers(other);
    expect(await show()).toMatchObject({ state: 'streaming', provider: 'q', fallback: 'other', attempts: 2 });
    expect((await show()).firstMs).toBeGreaterThanOrEqual(0);
  });

  test('are ended by the process that has them, once', async () => {
    const reasons: GatewayError[] = [];
    const work = { end: (reason: GatewayError) => void reasons.push(reason) };
    const entry = add(processes[1] as RunningRequests, { work });
    const { requestId } = entry;
    const { items } = await ask({ type: 'end', requestId, by: 'ann' }, { one: true });
    expect(items).toMatchObject([{ requestId }]);
    expect(reasons).toMatchObject([
      { kind: 'cancelled', details: { code: 'request_ended', endedBy: 'ann', final: true } },
    ]);
    processes[1]?.remove(entry, 499, reasons[0]);
    expect((await ask({ type: 'end', requestId, by: 'ann' })).items).toEqual([]);
  });
});

describe('changes', () => {
  test('are sent while a control follows, and not before or after', async () => {
    const [running] = processes as [RunningRequests];
    const heard = hear('gateway.v1.running.changes');
    const change = () => {
      const entry = add(running);
      entry.took(noted(route));
      running.remove(entry, 200, undefined);
    };
    change();
    await pass(400);
    expect(heard.sizes).toEqual([]);
    asker.follow(1_000);
    await bus.state.flush();
    change();
    await pass(150);
    expect(heard.changes.map(({ type }) => type)).toEqual(['started', 'ended']);
    await pass(2_500);
    change();
    await pass(400);
    expect(heard.sizes).toHaveLength(1);
  });

  test('that are too many are left out and counted, and never more than a bound waits', async () => {
    const [running] = processes as [RunningRequests];
    const heard = hear('gateway.v1.running.changes');
    asker.follow(10_000);
    await bus.state.flush();
    for (let i = 0; i < 1_300; i++) add(running);
    await pass(150);
    expect(heard.changes).toHaveLength(1_000);
    expect(heard.missed).toBe(300);
    expect(Math.max(...heard.sizes)).toBeLessThanOrEqual(260 * 1024);
  });

  test('of a request that ended have its status, its error and the one who ended it', async () => {
    const [running] = processes as [RunningRequests];
    const heard = hear('gateway.v1.running.changes');
    asker.follow(10_000);
    await bus.state.flush();
    const entry = add(running, {
      work: { end: reason => running.remove(entry, 499, reason) },
    });
    await pass(150);
    expect(heard.changes.map(({ type }) => type)).toEqual(['started']);
    await ask({ type: 'end', requestId: entry.requestId, by: 'ann' });
    await pass(150);
    expect(heard.changes.at(-1)).toMatchObject({
      type: 'ended',
      end: { status: 499, error: 'cancelled', endedBy: 'ann', usage: null },
    });
  });
});
