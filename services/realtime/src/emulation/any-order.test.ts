import { setImmediate } from 'node:timers/promises';
import { GatewayError, type GenerateEvent, type GenerateRequest } from '@model-gateway/canonical';
import { Random } from '@model-gateway/canonical/testing';
import { expect, test } from 'vitest';
import { Emulation } from './emulation.ts';
import type { Models } from './models.ts';

interface Event {
  type: string;
  event_id: string;
  item?: { id: string; call_id?: string };
  response?: { id: string; conversation_id: string | null };
  response_id?: string;
  error?: { code: string };
}

/** Returns models with random output that fail at times. */
function modelsOf(random: Random): Models {
  let calls = 0;
  const say = async (signal: AbortSignal, on: (events: GenerateEvent[]) => void) => {
    on([{ type: 'start', id: '', model: '' }]);
    for (let index = 0; index < random.below(5) && !signal.aborted; index++) {
      await setImmediate();
      const call = { type: 'tool-call', id: `c${++calls}`, name: 'f' } as const;
      const part = random.pick([{ type: 'text' }, { type: 'reasoning' }, { type: 'refusal' }, call] as const);
      on([
        { type: 'part-start', index, part },
        { type: 'part-delta', index, text: random.pick(['Hello there, my friend. And', '{}', '']) },
        ...(random.maybe(() => [{ type: 'part-end', index } as const]) ?? []),
      ]);
      if (random.below(20) === 0) throw new GatewayError('upstream', 'Gone.');
    }
    const reason = random.pick(['stop', 'length', 'tool-calls', 'content-filter'] as const);
    on([{ type: 'finish', reason, raw: null, usage: null }]);
  };
  return {
    generate(request, signal, on) {
      checkCalls(request);
      return { done: say(signal, on), usage: () => null };
    },
    async transcribe() {
      await setImmediate();
      if (random.below(3) === 0) throw new Error('transcription failed');
      return { text: random.pick(['hi', '']), usage: null };
    },
    async speak(_query, _signal, onAudio) {
      for (const size of [101, 99, 1]) {
        await setImmediate();
        if (random.below(20) === 0) throw new Error('speech failed');
        onAudio(Buffer.alloc(size));
      }
    },
  };
}

/** Checks what upstreams require: each call is followed by its output. */
function checkCalls({ messages }: GenerateRequest): void {
  for (const [i, { role, content }] of messages.entries()) {
    expect(content).not.toEqual([]);
    const called = content.flatMap(part => (part.type === 'tool-call' ? [part.id] : []));
    const next = messages[i + 1];
    const answered = next?.role === 'tool' ? next.content.map(({ callId }) => callId) : [];
    if (role === 'assistant') expect(answered).toEqual(called);
  }
}

const loud = Buffer.alloc(9_600);
for (let i = 0; i < 4_800; i++) loud.writeInt16LE(Math.round(9_000 * Math.sin(i / 9)), 2 * i);

function eventOf(random: Random, emitted: readonly Event[]): object {
  const { pick } = { pick: <T>(values: readonly T[]) => random.pick(values) };
  const item_id = pick([...emitted.flatMap(({ item }) => (item ? [item.id] : [])), 'none', 'root']);
  const calls = emitted.flatMap(({ item }) => (item?.call_id ? [item.call_id] : []));
  const format = { type: pick(['audio/pcm', 'audio/pcmu', 'audio/pcma']) };
  const yes = () => pick([true, false]);
  const turns = { type: 'server_vad', interrupt_response: yes(), create_response: yes() };
  const turn_detection = pick([null, turns, { type: 'semantic_vad', eagerness: 'high' }]);
  const audio = {
    input: { format, turn_detection, transcription: {} },
    output: { format, voice: pick(['a', 'b']) },
  };
  const text = { type: pick(['input_text', 'output_text']), text: pick(['Hello', '']) };
  const sound = { type: 'input_audio', audio: 'AAAA' };
  const message = {
    type: 'message',
    role: pick(['user', 'assistant', 'system']),
    content: [pick([text, sound])],
  };
  const response = pick([{}, { conversation: 'none' }, { input: [{ type: 'item_reference', id: item_id }] }]);
  const bytes = pick([loud, loud, Buffer.alloc(60_000), Buffer.alloc(30_001), Buffer.alloc(0)]);
  return pick([
    {
      type: 'session.update',
      session: { type: 'realtime', output_modalities: [pick(['text', 'audio'])], audio },
    },
    { type: 'conversation.item.create', previous_item_id: item_id, item: message },
    { type: 'conversation.item.create', item: { ...message, id: item_id } },
    { type: 'conversation.item.create', item: { type: 'function_call', name: 'f', arguments: '{}' } },
    {
      type: 'conversation.item.create',
      item: { type: 'function_call_output', call_id: pick(['', ...calls]), output: '' },
    },
    { type: 'conversation.item.retrieve', item_id },
    { type: 'conversation.item.delete', item_id },
    { type: 'conversation.item.truncate', item_id, content_index: 0, audio_end_ms: pick([0, 1, 1_000]) },
    { type: 'input_audio_buffer.append', audio: bytes.toString('base64') },
    { type: 'input_audio_buffer.append', audio: bytes.toString('base64') },
    { type: 'input_audio_buffer.commit' },
    { type: 'input_audio_buffer.clear' },
    { type: 'response.create', response },
    { type: 'response.create' },
    { type: 'response.cancel' },
  ]);
}

test.each(Array.from({ length: 150 }, (_, seed) => seed))(
  'random events keep the order of the protocol: seed %i',
  async seed => {
    const random = new Random(seed);
    const emitted: Event[] = [];
    let ids = 0;
    const hasHelpers = random.below(4) > 0;
    const emulation = new Emulation({
      model: 'm',
      expiresAt: 0,
      transcription: hasHelpers ? 'ears' : undefined,
      speech: hasHelpers,
      voice: undefined,
      context: random.maybe(() => 50),
      models: modelsOf(random),
      turn: () => setImmediate(),
      ready: async () => {},
      newId: prefix => `${prefix}_${++ids}`,
      emit: event => emitted.push(event as Event),
    });
    emulation.begin();
    for (let i = 0; i < 40; i++) {
      emulation.receive(Buffer.from(JSON.stringify(eventOf(random, emitted))));
      for (let turns = random.below(4); turns > 0; turns--) await setImmediate();
    }
    for (let turns = 0; turns < 60; turns++) await setImmediate();
    checkOrder(emitted);
    emulation.end();
  },
);

/** Checks that each beginning has one end, `response.done` is last, and one response is active at a time. */
function checkOrder(emitted: readonly Event[]): void {
  const count = (type: string) => emitted.filter(event => event.type === type).length;
  for (const what of ['conversation.item', 'response.output_item', 'response.content_part'])
    expect([what, count(`${what}.added`)]).toEqual([what, count(`${what}.done`)]);
  expect(new Set(emitted.map(({ event_id }) => event_id)).size).toBe(emitted.length);
  const over = new Set<string>();
  let active: string | undefined;
  for (const { type, response, response_id, error } of emitted) {
    if (type === 'error') expect(error?.code).not.toBe('server_error');
    expect(over).not.toContain(response?.id ?? response_id);
    if (type === 'response.done' && response) over.add(response.id);
    if (!response?.conversation_id) continue;
    expect(active).toBe(type === 'response.created' ? undefined : response.id);
    active = type === 'response.created' ? response.id : undefined;
  }
  expect(over.size).toBe(count('response.created'));
}
