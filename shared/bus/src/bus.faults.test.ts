import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GenerateEvent } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Bus, Caller, connectBus, lostMs, silentMs } from './index.ts';
import { Heartbeat } from './liveness.ts';
import { heartbeatSubject } from './subjects.ts';
import { type NatsServer, startNats } from './testing/nats-server.ts';

// A process that stands still needs the system's time.

let nats: NatsServer;
let bus: Bus;

beforeEach(async () => {
  nats = await startNats();
  bus = await connectBus({ url: nats.url, name: 'test' });
});
afterEach(async () => {
  await bus.close();
  await nats.stop();
});

/** The longest time for which a process may stand still. */
const pauseMs = 15_000;

test.each([
  ['a worker that is paused for 15 s goes on with its calls', [pauseMs], false],
  ['a worker that is paused again and again goes on with its calls', [4_000, 4_000, 4_000], false],
  ['a worker that is paused until it is lost leaves no call hanging', [lostMs + 5_000], true],
] as const)('%s', async (_, pauses, isLost) => {
  const caller = await Caller.open(bus);
  const worker = fork(new URL('./testing/worker-process.ts', import.meta.url), {
    env: { ...process.env, NATS_URL: nats.url },
    execArgv: [],
  });
  await once(worker, 'message');
  const events: GenerateEvent[] = [];
  const call = caller.call({
    pool: 'default',
    envelope: testEnvelope({ textLength: 2 }),
    body: Buffer.from('{}'),
    queueMs: 60_000,
    onEvents(batch, weight) {
      call.consumed(weight);
      events.push(...batch);
    },
  });
  await vi.waitFor(() => expect(events).not.toEqual([]));
  for (const ms of pauses) {
    worker.kill('SIGSTOP');
    await sleep(ms);
    worker.kill('SIGCONT');
    await sleep(200);
  }
  const seen = events.length;
  if (isLost) expect(events.at(-1)).toMatchObject({ type: 'error', kind: 'upstream' });
  else await vi.waitFor(() => expect(events.length).toBeGreaterThan(seen));
  expect(call.done).toBe(isLost);
  worker.kill('SIGKILL');
  caller.close();
});

test('a worker whose event loop is blocked for some seconds sends its heartbeats all the same', async () => {
  const subject = heartbeatSubject('default.w1');
  const heartbeat = new Heartbeat(bus, subject);
  heartbeat.update(1, 9);
  await vi.waitFor(() => expect(heartbeat.running).toBe(true), { timeout: 60_000 });
  const heard: unknown[] = [];
  bus.calls.subscribe(subject, { callback: (_, message) => void heard.push(message.json()) });
  await bus.calls.flush();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * silentMs);
  await bus.calls.flush();
  expect(heard.length).toBeGreaterThan(2);
  expect(heard[0]).toMatchObject({ load: 1, capacity: 9 });
  heartbeat.stop();
});
