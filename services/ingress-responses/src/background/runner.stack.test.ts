import { type Bus, connectBus } from '@model-gateway/bus';
import { type NatsServer, startNats } from '@model-gateway/bus/testing';
import { GatewayError } from '@model-gateway/canonical';
import type { Ingress } from '@model-gateway/ingress';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderWaiting } from '../endpoints/render-waiting.ts';
import { ReadSlots } from '../reads/read-slots.ts';
import type { ResponseServices } from '../store/response-services.ts';
import { Store } from '../store/store.ts';
import { TestShare } from '../testing/shares.ts';
import { makeStored } from '../testing/streams.ts';
import { Runner } from './attempt.ts';

let nats: NatsServer;
let bus: Bus;
let store: Store;
beforeAll(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, name: 'test' });
  await makeStored(bus);
  store = await Store.open(bus, { ttlMs: 60_000 });
});
afterAll(async () => {
  store.close();
  await bus.close();
  await nats.stop();
});

function servicesOf(): ResponseServices {
  return { store, places: new ReadSlots(bus.clock), bodyBytes: 1_000_000 } as ResponseServices;
}

function ingressOf(ask: () => Promise<unknown>): Ingress {
  return { ask, parts: { held: { share: () => new TestShare() } } } as unknown as Ingress;
}

test('a job that was lost in every attempt fails without another attempt', async () => {
  const id = 'resp_lost';
  const response = `{"id":"${id}","object":"response","status":"in_progress","output":[]}`;
  const attempts = [1, 2, 3, 4].map(at => ({ at }));
  const background = { tokenHash: '', request: '{}', attempts };
  const meta = { id, at: store.clock.now(), before: [], stream: true, background };
  await store.put('p', { meta, base: '', input: '', response });
  const writer = store.writer('p', id);
  writer.add(renderWaiting(response));
  await writer.flush();
  const services = servicesOf();
  const ask = () => Promise.reject(new Error('the upstream was called'));
  const runner = new Runner(services, () => ingressOf(ask));
  const job = {
    text: JSON.stringify({ project: 'p', id }),
    attempt: 5,
    signal: new AbortController().signal,
  };
  expect(await runner.run(job)).toBe('done');
  const stored = JSON.parse((await store.get('p', id))?.response ?? '');
  expect(stored).toMatchObject({ status: 'failed', error: { message: expect.stringMatching(/4 times/) } });
  const events = (await Array.fromAsync(store.events('p', id))).map(({ bytes }) => bytes.toString()).join('');
  expect(events).toContain('event: response.failed');
  expect(await store.lastEvents('p', id)).toMatchObject({ end: true });
});

test('a response that waits for a limit is queued, and one whose upstream failed is in progress', async () => {
  const id = 'resp_waits';
  const response = `{"id":"${id}","object":"response","status":"queued","output":[]}`;
  const background = { tokenHash: '', request: '{}', attempts: [] };
  await store.put('p', {
    meta: { id, at: store.clock.now(), before: [], stream: false, background },
    base: '',
    input: '',
    response,
  });
  const statuses: string[] = [];
  const status = async () => JSON.parse((await store.get('p', id))?.response ?? '').status;
  const errors = [
    new GatewayError('rate-limited', 'The limit is reached.', { retryAfterMs: 1_000, share: true }),
    new GatewayError('upstream', 'The upstream failed.'),
  ];
  const ask = async () => {
    statuses.push(await status());
    return errors.shift();
  };
  const runner = new Runner(servicesOf(), () => ingressOf(ask));
  const text = JSON.stringify({ project: 'p', id });
  for (const attempt of [1, 2]) {
    expect(await runner.run({ text, attempt, signal: new AbortController().signal })).toBe('again');
    statuses.push(await status());
  }
  expect(statuses).toEqual(['in_progress', 'queued', 'in_progress', 'in_progress']);
});
