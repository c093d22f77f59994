import { type Bus, connectBus } from '@model-gateway/bus';
import { type NatsServer, startNats } from '@model-gateway/bus/testing';
import { ManualClock } from '@model-gateway/clock/testing';
import { sseEvent } from '@model-gateway/sse';
import { RevisionConflictError } from '@model-gateway/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { splitItems } from '../items/item-text.ts';
import { makeStored } from '../testing/streams.ts';
import {
  addItems,
  readConversation,
  readConversationItems,
  removeItem,
  setMetadata,
} from './conversations.ts';
import { readHistory } from './history.ts';
import { settleLost } from './lost.ts';
import { Store } from './store.ts';
import type { Turn, TurnMeta } from './turn.ts';

let nats: NatsServer;
const buses: Bus[] = [];
let store: Store;
/** The store as another process sees it a minute later. */
let later: Store;
beforeAll(async () => {
  nats = await startNats();
  const open = async (ms: number) => {
    const bus = await connectBus({ url: nats.url, name: 'test', clock: new ManualClock(Date.now() + ms) });
    if (buses.push(bus) === 1) await makeStored(bus);
    return Store.open(bus, { ttlMs: 120_000 });
  };
  store = await open(0);
  later = await open(60_000);
});
afterAll(async () => {
  for (const each of [store, later]) each.close();
  for (const bus of buses) await bus.close();
  await nats.stop();
});

function turn(id: string, status: string, more: Partial<TurnMeta> = {}): Turn {
  const meta = { id, at: store.clock.now(), before: [], stream: true, ...more };
  return { meta, base: '', input: '{"a":1}', response: `{"id":"${id}","status":"${status}","output":[]}` };
}

const created = (id: string) =>
  sseEvent(
    `{"type":"response.created","sequence_number":0,"response":{"id":"${id}","status":"in_progress"}}`,
    'response.created',
  );

async function writeBegun(id: string): Promise<void> {
  const writer = store.writer('p', id);
  writer.add(created(id));
  await writer.flush();
}

async function textOf(id: string): Promise<string> {
  const pieces = await Array.fromAsync(store.events('p', id));
  return Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();
}

test('a response whose writer was lost fails and cannot be continued', async () => {
  await writeBegun('resp_lost');
  expect(await settleLost(store, 'p', 'resp_lost')).toBe(true);
  await expect(readHistory(store, 'p', 'resp_lost')).rejects.toMatchObject({
    details: { code: 'previous_response_not_completed' },
  });
  expect(await settleLost(later, 'p', 'resp_lost')).toBe(true);
  expect(await textOf('resp_lost')).toMatch(/event: error[\s\S]*"sequence_number":2,"response":\{.*"failed"/);
  await expect(readHistory(store, 'p', 'resp_lost')).rejects.toMatchObject({
    details: { code: 'previous_response_not_found' },
  });
});

test.each([
  ['completed', 'response.completed'],
  ['cancelled', 'response.incomplete'],
  ['failed', 'response.failed'],
])('a %s response whose events have no end gets one', async (status, type) => {
  const id = `resp_${status}`;
  await writeBegun(id);
  await store.put('p', turn(id, status), 0);
  expect(await settleLost(later, 'p', id)).toBe(true);
  expect(await textOf(id)).toBe(
    `${created(id)}${sseEvent(
      `{"type":"${type}","sequence_number":1,"response":${turn(id, status).response}}`,
      type,
    )}${status === 'failed' ? '' : sseEvent('[DONE]')}`,
  );
  expect((await store.lastEvents('p', id))?.end).toBe(true);
});

test('a running background response is not ended', async () => {
  await writeBegun('resp_running');
  await store.put('p', turn('resp_running', 'in_progress'), 0);
  expect(await settleLost(later, 'p', 'resp_running')).toBe(true);
  expect(await textOf('resp_running')).toBe(created('resp_running'));
});

test('a response that is deleted while it streams is not stored at its end', async () => {
  await writeBegun('resp_deleted');
  expect(await store.remove('p', 'resp_deleted')).toBe(true);
  expect(await store.remove('p', 'resp_deleted')).toBe(false);
  expect(await store.get('p', 'resp_deleted')).toBeUndefined();
  await expect(store.put('p', turn('resp_deleted', 'completed'), 0)).rejects.toThrow(RevisionConflictError);
  expect(await settleLost(later, 'p', 'resp_deleted')).toBe(false);
});

test('only response ids find and delete responses', async () => {
  await store.putConversation('p', { id: 'conv_a', created_at: 0, metadata: {}, entries: [], stored: 0 }, 0);
  await store.putItems('p', ['msg_a'], 'resp_a');
  for (const id of ['conv_a', 'item_msg_a', 'conv_a.0', 'resp_a.b', 'resp_*', '>', '']) {
    expect(await store.get('p', id)).toBeUndefined();
    expect(await store.remove('p', id)).toBe(false);
  }
  expect(await store.getConversation('p', 'conv_a')).toBeDefined();
});

test('items of a conversation keep their ids when other items are added or removed', async () => {
  const id = 'conv_items';
  await store.putConversation('p', { id, created_at: 0, metadata: {}, entries: [], stored: 0 }, 0);
  const add = (items: string) => addItems(store, 'p', id, { items });
  await add('{"role":"user","content":"a","n":12345678901234567890},{"id":"own","type":"x"}');
  await Promise.all(['b', 'c', 'd'].map(text => add(`{"role":"user","content":"${text}"}`)));
  const listed = async () => {
    const { conversation } = await readConversation(store, 'p', id);
    return splitItems((await readConversationItems(store, 'p', conversation))?.items ?? '');
  };
  const before = await listed();
  expect(before).toHaveLength(5);
  expect(new Set(before.map(item => item.id)).size).toBe(5);
  await removeItem(store, 'p', id, String(before[2]?.id));
  await setMetadata(store, 'p', id, { a: 'b' });
  expect(JSON.stringify(await listed())).toBe(JSON.stringify(before.toSpliced(2, 1)));
  await expect(removeItem(store, 'p', id, String(before[2]?.id))).rejects.toMatchObject({
    kind: 'not-found',
  });
  for (const item of await listed()) await removeItem(store, 'p', id, String(item.id));
  expect(await readConversation(store, 'p', id)).toMatchObject({ conversation: { entries: [] } });
});

test('deleting a conversation deletes its entries', async () => {
  const id = 'conv_gone';
  await store.putConversation('p', { id, created_at: 0, metadata: {}, entries: [], stored: 0 }, 0);
  await addItems(store, 'p', id, { items: '{"role":"user","content":"a"}' });
  const { conversation } = await readConversation(store, 'p', id);
  expect(await store.getEntry('p', String(conversation.entries[0]?.id))).toBeDefined();
  await store.removeConversation('p', conversation);
  expect(await store.getEntry('p', String(conversation.entries[0]?.id))).toBeUndefined();
});
