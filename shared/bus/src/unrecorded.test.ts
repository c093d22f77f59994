import { setTimeout as sleep } from 'node:timers/promises';
import { type GenerateEvent, noUsage } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AnnouncedAttempts } from './call-request.ts';
import { Caller } from './caller.ts';
import { type Bus, connectBus } from './connection.ts';
import type { ServedCall } from './served-call.ts';
import { Server } from './server.ts';
import { type NatsServer, startNats } from './testing/nats-server.ts';

let nats: NatsServer;
let callerBus: Bus;
let workerBus: Bus;
let caller: Caller;
let server: Server;
let served: ServedCall[];

beforeEach(async () => {
  nats = await startNats();
  [callerBus, workerBus] = (await Promise.all(
    ['caller', 'worker'].map(name => connectBus({ url: nats.url, name })),
  )) as [Bus, Bus];
  caller = await Caller.open(callerBus);
  served = [];
  server = await Server.open(workerBus, {
    pool: 'default',
    capacity: 10,
    serve(call) {
      served.push(call);
      call.announce({ id: `attempt-of-${call.envelope.requestId}`, provider: 'p', model: 'm' });
      call.send([{ type: 'start', id: '1', model: 'm' }]);
    },
  });
});
afterEach(async () => {
  caller.close();
  server.close();
  await callerBus.close();
  await nats.stop();
});

/** Opens a call, and resolves at its first event. */
async function begin(requestId: string) {
  const envelope = testEnvelope({ requestId, textLength: 2 });
  const events: GenerateEvent[] = [];
  const call = caller.call({
    pool: 'default',
    envelope,
    body: Buffer.from('{}'),
    queueMs: 5_000,
    onEvents: more => void events.push(...more),
  });
  await vi.waitFor(() => expect(events).not.toEqual([]), { timeout: 5_000 });
  return { call, events };
}

test('attempts that ended shortly before their worker was lost are reported, answered or cancelled', async () => {
  const lost = new Map<string, AnnouncedAttempts>();
  caller.onLost = tried => void lost.set(tried.envelope.requestId, tried);
  const answered = await begin('answered');
  const cancelled = await begin('cancelled');
  const usage = { ...noUsage, input: 3, output: 4 };
  served[0]?.send([{ type: 'finish', reason: 'stop', raw: 'stop', usage }]);
  await vi.waitFor(() => expect(answered.events.at(-1)?.type).toBe('finish'));
  cancelled.call.cancel();
  // A worker needs longer than this for its records if NATS does not take them at once.
  await sleep(2_000);
  expect(lost.size).toBe(0);
  // The heartbeat has its own thread and connection.
  server.close();
  await workerBus.calls.close();
  await vi.waitFor(() => expect(lost.size).toBe(2), { timeout: 8_000 });
  const attempts = (id: string) => [{ id: `attempt-of-${id}`, provider: 'p', model: 'm' }];
  expect(lost.get('answered')).toMatchObject({ attempts: attempts('answered'), delivered: true, usage });
  expect(lost.get('cancelled')).toMatchObject({
    attempts: attempts('cancelled'),
    delivered: true,
    usage: null,
  });
});
