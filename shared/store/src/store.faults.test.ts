import { connectBus } from '@model-gateway/bus';
import { startOwnNats } from '@model-gateway/bus/testing';
import { PassingTime } from '@model-gateway/bus/testing/passing-time';
import { expect, test, vi } from 'vitest';
import { EventLog, logStreams, RevisionedStore, valueStreams } from './index.ts';
import { logs, values } from './testing/names.ts';
import { makeStreams } from './testing/streams.ts';

const options = { ttlMs: 60_000 };
const room = { ...options, replicas: 1, maxBytes: 10_000_000 };

// A removal whose answer is late is repeated, and then finds nothing to remove.
test('a removal says whether there was a value', async () => {
  const nats = await startOwnNats();
  const bus = await connectBus({ url: nats.url, name: 'test' });
  await makeStreams(bus, valueStreams(values, room));
  const keep = await RevisionedStore.open(bus, values, options);
  await keep.put('p.a', Buffer.from('1'));
  expect(await keep.remove('p.a')).toBe(true);
  expect(await keep.remove('p.a')).toBe(false);
  await bus.close();
  await nats.stop();
});

// A read that a restart interrupts is given up after 5 s of the NATS client, whose time is the system's.
test('a log is written and read completely across a restart of NATS', async () => {
  const nats = await startOwnNats();
  const time = new PassingTime();
  const bus = await time.connect(nats.url);
  await makeStreams(bus, logStreams(logs, room));
  const log = await EventLog.open(bus, logs, options);
  const writer = log.writer('p.a');
  let read = '';
  let isRead = false;
  void (async () => {
    for await (const { bytes } of log.follow('p.a', { signal: new AbortController().signal })) read += bytes;
    isRead = true;
  })();
  writer.add('before');
  await vi.waitFor(() => expect(read).toBe('before'));
  writer.add(' meanwhile');
  await nats.restart();
  writer.add(' after', true);
  // Its readers and its writer are patient for some seconds, which hardly pass while the server starts.
  await time.eventually(() => expect(isRead).toBe(true), 20);
  expect(writer.broken).toBeUndefined();
  expect(read).toBe('before meanwhile after');
  await time.close();
  await nats.stop();
});
