import { setImmediate as endOfTurn } from 'node:timers/promises';
import { jetstream } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { connect, type NatsConnection } from 'nats';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Bus, connectBus, streamManager } from './connection.ts';
import { type BusService, busServices, busUser } from './permissions.ts';
import { openProjection } from './projection.ts';
import { countersOf, jobStream, storedStreams } from './streams.ts';
import {
  callSubject,
  inboxPrefix,
  loggedSubject,
  replySubject,
  usageSubject,
  workerSubject,
  workerUsageSubject,
} from './subjects.ts';
import { type OwnNatsServer, startOwnNats, urlFor } from './testing/nats-server.ts';
import { watchBucket } from './watch.ts';

let nats: OwnNatsServer;
let tester: NatsConnection;
beforeAll(async () => {
  nats = await startOwnNats({ refusals: true });
  tester = await connect({ servers: nats.url });
  const control = await connectBus({ url: urlFor(nats.url, 'control'), name: 'control' });
  // A busy server may answer a request of JetStream too late.
  await vi.waitFor(() => makeStreams(control), { timeout: 60_000 });
  await control.close();
});
afterAll(async () => {
  await tester.close();
  await nats.stop();
});

async function makeStreams(control: Bus): Promise<void> {
  for (const name of ['access', 'catalog'] as const) await (await openProjection(control, name)).beat();
  const manager = await streamManager(control);
  const stored = Object.values(storedStreams).flatMap(names => [names, countersOf(names)]);
  for (const { stream, subjects } of [...stored, jobStream])
    await manager.streams.add({ name: stream, subjects: [`${subjects}.>`] });
}

/** Connects as a service; `refused` collects the denied subjects. */
interface ServiceConnection {
  refused: string[];
  bus: Bus;
}

async function as(service: BusService, pool?: string): Promise<ServiceConnection> {
  const refused: string[] = [];
  const bus = await connectBus({ url: urlFor(nats.url, service, pool), name: service }, ({ subject }) =>
    refused.push(subject),
  );
  return { refused, bus };
}

/** Returns the subjects that the server does not let a service publish on. */
async function refusedPublishes(service: BusService, subjects: readonly string[]): Promise<string[]> {
  const { refused, bus } = await as(service);
  for (const subject of subjects) bus.state.publish(subject);
  await bus.state.flush();
  await endOfTurn();
  await bus.close();
  return refused;
}

/** Returns the subjects that the server does not let a service subscribe to. */
async function refusedSubscriptions(service: BusService, subjects: readonly string[]): Promise<string[]> {
  const { bus } = await as(service);
  const refused: string[] = [];
  for (const subject of subjects) {
    bus.state.subscribe(subject, { callback: error => void (error && refused.push(subject)) });
  }
  await bus.state.flush();
  await endOfTurn();
  await bus.close();
  return refused;
}

const callers = busServices.filter(service => service !== 'control' && service !== 'worker');

describe.each(callers)('%s', service => {
  const own = busUser(service);

  test('may make calls, read its own replies, and read what control publishes', async () => {
    const answers = replySubject('*', own, 'a');
    expect(
      await refusedPublishes(service, [callSubject('p'), workerSubject('p.w'), usageSubject, loggedSubject]),
    ).toEqual([]);
    expect(await refusedSubscriptions(service, [answers, `${answers}.>`, 'gateway.v1.beat.*.*'])).toEqual([]);
    const { bus, refused } = await as(service);
    for (const name of ['access', 'catalog'] as const) {
      (await watchBucket(bus, name, { put() {}, remove() {} }, 60_000)).stop();
    }
    await bus.close();
    expect(refused).toEqual([]);
  });

  test('may not answer, read calls or the replies of others, or write what control publishes', async () => {
    const writes = [
      replySubject('default', 'realtime', 'a'),
      replySubject('default', own, 'a'),
      workerUsageSubject('default'),
      '$KV.access.token.x',
      '$KV.catalog.model.x',
      'gateway.v1.changed.access',
      'gateway.v1.beat.default.x',
      '$JS.API.STREAM.DELETE.KV_access',
      '$JS.API.STREAM.CREATE.KEPT',
      '$JS.API.STREAM.UPDATE.KEPT',
      '$JS.API.STREAM.CREATE.SPY',
      '$JS.API.CONSUMER.CREATE.USAGE.spy',
    ];
    expect(await refusedPublishes(service, writes)).toEqual(writes);
    const other = own === 'ingress-chat' ? 'ingress-messages' : 'ingress-chat';
    const reads = [
      callSubject('default'),
      workerSubject('default.*'),
      replySubject('*', other, '>'),
      'gateway.v1.>',
      `${inboxPrefix(other)}.>`,
      '_INBOX.>',
      '>',
    ];
    expect(await refusedSubscriptions(service, reads)).toEqual(reads);
    const { bus } = await as(service);
    const kv = await new Kvm(jetstream(bus.state)).open('access');
    await expect(kv.put('token.x', '{}')).rejects.toThrow(/permissions/i);
    await bus.close();
  });
});

test('only ingress-responses accesses stored responses, and only realtime client secrets', async () => {
  const stored = (service: BusService) =>
    refusedPublishes(service, ['gateway.v1.kept.p.x', '$JS.API.STREAM.MSG.GET.KEPT', 'gateway.v1.secret.x']);
  expect(await stored('ingress-responses')).toEqual(['gateway.v1.secret.x']);
  expect(await stored('realtime')).toEqual(['gateway.v1.kept.p.x', '$JS.API.STREAM.MSG.GET.KEPT']);
  expect(await stored('ingress-chat')).toHaveLength(3);
  expect(await stored('worker')).toHaveLength(3);
});

test("a worker may serve only its own pool's calls, in the queue group, and may answer every caller of them", async () => {
  const { bus, refused } = await as('worker', 'other');
  const errors: unknown[] = [];
  const callback = (error: unknown) => void (error && errors.push(error));
  bus.calls.subscribe(callSubject('other'), { queue: 'workers', callback });
  bus.calls.subscribe(workerSubject('other.a'), { callback });
  for (let i = 0; i < 3; i++) bus.calls.publish(replySubject('other', 'ingress-chat', 'a'));
  bus.calls.publish(`${replySubject('other', 'ingress-chat', 'a')}.7`);
  bus.calls.publish(workerUsageSubject('other'));
  bus.calls.publish('gateway.v1.beat.other.a');
  await bus.calls.flush();
  await endOfTurn();
  expect([errors, refused]).toEqual([[], []]);
  const forbidden = [
    bus.calls.subscribe(callSubject('default'), { queue: 'workers', callback }),
    bus.calls.subscribe(callSubject('other'), { callback }),
    bus.calls.subscribe(workerSubject('default.a'), { callback }),
    bus.calls.subscribe(replySubject('*', 'ingress-chat', '>'), { callback }),
  ];
  const others = [
    'gateway.v1.beat.default.a',
    callSubject('other'),
    replySubject('default', 'ingress-chat', 'a'),
    `${replySubject('default', 'ingress-chat', 'a')}.7`,
    'gateway.v1.reply.ingress-chat.a',
    usageSubject,
    workerUsageSubject('default'),
  ];
  for (const subject of others) bus.calls.publish(subject);
  await bus.calls.flush();
  await endOfTurn();
  expect(errors).toHaveLength(forbidden.length);
  expect(refused).toEqual(expect.arrayContaining(others));
  await expect(watchBucket(bus, 'access', { put() {}, remove() {} }, 300)).rejects.toThrow();
  await bus.close();
});

test('control may write its buckets, but may not call, answer or read the data of clients', async () => {
  expect(await refusedPublishes('control', ['$KV.access.token.x', 'gateway.v1.changed.access'])).toEqual([]);
  const writes = [
    callSubject('default'),
    replySubject('default', 'ingress-chat', 'a'),
    'gateway.v1.kept.p.x',
  ];
  expect(await refusedPublishes('control', writes)).toEqual(writes);
  const reads = [callSubject('default'), replySubject('*', 'ingress-chat', '>'), 'gateway.v1.events.>'];
  expect(await refusedSubscriptions('control', reads)).toEqual(reads);
});

test.each(busServices)('%s cannot read the inbox of another service', async service => {
  const others = busServices
    .filter(other => other !== service)
    .map(other => `${inboxPrefix(busUser(other))}.>`);
  expect(await refusedSubscriptions(service, others)).toEqual(others);
});
