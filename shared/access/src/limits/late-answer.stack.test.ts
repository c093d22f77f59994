import { setTimeout as sleep } from 'node:timers/promises';
import { type Bus, connectBus, openProjection } from '@model-gateway/bus';
import { type NatsServer, startNats } from '@model-gateway/bus/testing';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { Limiter } from './limiter.ts';
import type { Counted } from './limits.ts';

let nats: NatsServer;
const closers: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  nats = await startNats();
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(() => nats?.stop());

async function connect(): Promise<Bus> {
  const bus = await connectBus({ url: nats.url, name: 'ingress' });
  closers.push(() => bus.close());
  return bus;
}

function start(bus: Bus): Limiter {
  const limiter = new Limiter(bus, { localMs: 60_000, policy: 'closed' });
  closers.push(() => limiter.close());
  return limiter;
}

/** Returns a bus on which requests to the leader arrive after `delay.ms`. */
function delayed(bus: Bus, delay: { ms: number }): Bus {
  const subscribe: Bus['calls']['subscribe'] = (subject, options) =>
    bus.calls.subscribe(subject, {
      ...options,
      callback: (error, message) => {
        const read = () => void options?.callback?.(error, message);
        if (delay.ms > 0 && subject === 'gateway.v1.limits.ask') setTimeout(read, delay.ms);
        else read();
      },
    });
  const calls = new Proxy(bus.calls, {
    get(target, name) {
      if (name === 'subscribe') return subscribe;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { ...bus, calls };
}

let run = 0;

test('a request that the leader granted too late, and its process refused, counts for nothing', {
  retry: 3,
}, async () => {
  const admin = await connect();
  await vi.waitFor(() => openProjection(admin, 'limits'), { timeout: 60_000 });
  const delay = { ms: 0 };
  const leader = start(delayed(await connect(), delay));
  await expect.poll(() => leader.isLeader).toBe(true);
  const other = start(await connect());
  const counted: Counted[] = [
    {
      key: JSON.stringify(['token', `late ${++run}`]),
      requestsPerMinute: 4,
      tokensPerMinute: 400,
      concurrency: 4,
    },
  ];
  // Both of its share.
  await sleep(2_500);
  const places = [await other.take(counted, 100), await other.take(counted, 100)];
  expect(places.map(({ refusal }) => refusal)).toEqual([undefined, undefined]);
  expect(places.at(-1)?.decision.requests).toMatchObject({ limit: 4, remaining: 2 });

  delay.ms = 2_500;
  expect((await other.take(counted, 100)).refusal?.message).toMatch(/limit of 4 requests per minute/);
  await sleep(3_500);
  delay.ms = 0;
  const more = [await leader.take(counted, 100), await leader.take(counted, 100)];
  expect(more.map(({ refusal }) => refusal)).toEqual([undefined, undefined]);
  expect(more.at(-1)?.decision).toMatchObject({ requests: { remaining: 0 }, tokens: { remaining: 0 } });
});
