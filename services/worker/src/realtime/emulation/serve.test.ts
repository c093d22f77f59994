import { setImmediate } from 'node:timers/promises';
import type { Message } from '@model-gateway/bus';
import type { GenerateEvent, UsageRecord } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { Catalog, type ModelRecord, type ProviderRecord, recordKey } from '@model-gateway/catalog';
import { expect, test, vi } from 'vitest';
import type { AnswerDeps, RunTargets, TargetCall } from '../../answer-deps.ts';
import { RealtimeSession } from '../session.ts';
import { helpersOf } from './model-calls.ts';
import { serveEmulation } from './serve.ts';

const timeouts = { firstToken: 1_000, idle: 1_000, total: 1_000 };
const record = { version: 1, position: 0, created: 0, timeouts, limits: {}, drop: [] };
const model = (name: string, providers: string[], realtime?: ModelRecord['realtime']): ModelRecord => ({
  ...record,
  name,
  targets: providers.map(provider => ({ provider, model: `${name}-there` })),
  ...(realtime && { realtime }),
});

function catalogOf(models: ModelRecord[]): Catalog {
  const catalog = new Catalog();
  for (const [name, pool] of [
    ['near', 'here'],
    ['far', 'there'],
  ] as const)
    catalog.put(recordKey('provider', name), {
      name,
      pool,
      kind: 'openai',
      version: 1,
    } as unknown as ProviderRecord);
  for (const each of models) catalog.put(recordKey('model', each.name), each);
  return catalog;
}

const envelope = testEnvelope({
  operation: 'realtime',
  format: 'realtime',
  variant: 'beta',
  model: 'talker',
  targets: [{ provider: 'near', model: 'm' }],
  headers: { secret: 'x' },
});

/** Opens a session of a client that takes `takes` messages, and more after `drain`. */
function sessionOf(takes: number) {
  const received: { type: string }[] = [];
  const ends: GenerateEvent[] = [];
  const client = Promise.withResolvers<void>();
  const drained = Promise.withResolvers<void>();
  const left = new AbortController();
  const clientEvents = [
    { type: 'response.create' },
    { type: 'conversation.item.retrieve', item_id: 'none' },
    { type: 'conversation.item.retrieve', item_id: 'none' },
  ];
  async function* messages(): AsyncGenerator<Message, void> {
    for (const event of clientEvents) {
      yield { data: Buffer.from(JSON.stringify(event)), text: true };
      await setImmediate();
    }
    await client.promise;
  }
  const session = new RealtimeSession({
    call: {
      envelope,
      signal: left.signal,
      send: events => ends.push(...events) > 0,
      sendMessage: data => received.push(JSON.parse(Buffer.from(data).toString())) < takes,
      drained: drained.promise,
      announce() {},
    },
    model: model('talker', ['near']),
    messages: messages(),
    prepared: undefined,
  });
  return {
    session,
    received,
    ends,
    leave: () => client.resolve(),
    cut: () => left.abort(),
    drain: () => drained.resolve(),
  };
}

function partsOf(records: UsageRecord[] = []): AnswerDeps {
  const catalog = catalogOf([model('talker', ['near'])]);
  return { catalog, usage: { add: (added: UsageRecord) => records.push(added) } } as unknown as AnswerDeps;
}

test('a client that does not read pauses its messages and its model', async () => {
  const { session, received, leave, drain } = sessionOf(3);
  const calls: { call: TargetCall; goOn: boolean }[] = [];
  const ask: RunTargets = async call => {
    const goOn = call.send([
      { type: 'start', id: '', model: '' },
      { type: 'part-start', index: 0, part: { type: 'text' } },
    ]);
    calls.push({ call, goOn });
    await call.drained;
    call.send([{ type: 'finish', reason: 'stop', raw: null, usage: null }]);
  };
  const served = serveEmulation(session, partsOf(), ask);
  await vi.waitFor(() => expect(calls).toHaveLength(1));
  expect(calls[0]).toMatchObject({
    goOn: false,
    call: { envelope: { operation: 'generate', format: 'realtime', headers: {}, targets: envelope.targets } },
  });
  expect(calls[0]?.call.envelope).not.toHaveProperty('variant');
  await setImmediate();
  const before = received.map(({ type }) => type);
  expect(before.slice(0, 2)).toEqual(['session.created', 'response.created']);
  expect(before.filter(type => type === 'error').length).toBeLessThan(2);
  drain();
  await vi.waitFor(() => expect(received.filter(({ type }) => type === 'error')).toHaveLength(2));
  await vi.waitFor(() => expect(received.map(({ type }) => type)).toContain('response.done'));
  leave();
  await served;
});

test.each(['leave', 'cut'] as const)('a response stops when the client is gone: %s', async how => {
  const going = sessionOf(1_000);
  const signals: AbortSignal[] = [];
  const ask: RunTargets = call => {
    signals.push(call.signal);
    return new Promise(resolve => call.signal.addEventListener('abort', () => resolve()));
  };
  const served = serveEmulation(going.session, partsOf(), ask);
  await vi.waitFor(() => expect(signals).toHaveLength(1));
  expect(going.ends).toMatchObject([{ type: 'start', model: 'talker' }]);
  going[how]();
  await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true));
  going.leave();
  await served;
});

test("a response is recorded with the session's operation and format", async () => {
  const records: UsageRecord[] = [];
  const { session, leave } = sessionOf(1_000);
  const ask: RunTargets = async (call, { usage }) => {
    usage.add({ operation: call.envelope.operation, format: 'chat', usage: null } as unknown as UsageRecord);
    call.send([{ type: 'error', kind: 'upstream', message: 'Gone.' }]);
  };
  const served = serveEmulation(session, partsOf(records), ask);
  await vi.waitFor(() =>
    expect(records).toEqual([{ operation: 'realtime', format: 'realtime', usage: null }]),
  );
  leave();
  await served;
});

test('helper models are those that the same workers reach', () => {
  const realtime = { transcription: 'ears', speech: 'mouth' };
  const catalog = catalogOf([model('ears', ['far', 'near']), model('mouth', ['far'])]);
  const talker = { model: model('talker', ['near'], realtime), envelope };
  expect(helpersOf(talker, catalog)).toEqual({
    transcription: { model: 'ears', targets: [{ provider: 'near', model: 'ears-there' }] },
    speech: undefined,
  });
  expect(helpersOf({ ...talker, model: model('talker', ['near']) }, catalog)).toEqual({
    transcription: undefined,
    speech: undefined,
  });
});
