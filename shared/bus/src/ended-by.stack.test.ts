import { endedByOf } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Bus, type Call, Caller, connectBus, type ServedCall, Server } from './index.ts';
import { type NatsServer, startNats } from './testing/nats-server.ts';

let nats: NatsServer;
let bus: Bus;
let server: Server;
let caller: Caller;
let served: ServedCall | undefined;
beforeEach(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, name: 'test' });
  served = undefined;
  const serve = (call: ServedCall) => {
    served = call;
  };
  [server, caller] = await Promise.all([
    Server.open(bus, { pool: 'default', capacity: 10, serve }),
    Caller.open(bus),
  ]);
});
afterEach(async () => {
  caller.close();
  server.close();
  await bus.close();
  await nats.stop();
});

async function open(): Promise<Call> {
  const envelope = testEnvelope({ textLength: 2 });
  const call = caller.call({
    ...{ pool: 'default', envelope, body: Buffer.from('{}'), queueMs: 5_000 },
    onEvents() {},
  });
  await expect.poll(() => served && call.accepted).toBe(true);
  return call;
}

// A cancel of the previous version names nobody.
test.each(['ann', undefined])('a cancel tells the worker that %s ended the request', async name => {
  const call = await open();
  call.cancel(name);
  await expect.poll(() => served?.signal.aborted).toBe(true);
  expect(endedByOf(served?.signal as AbortSignal)).toBe(name);
});
