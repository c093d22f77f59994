import type { GenerateEvent } from '@model-gateway/canonical';
import {
  realtimeClientEvent,
  realtimeItem,
  realtimeItemReference,
  realtimeResponseSettings,
  realtimeSettings,
} from '@model-gateway/formats';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Emulation, type EmulationOptions } from '../../services/realtime/src/emulation/emulation.ts';
import { encodeRequest } from '../../services/realtime/src/emulation/encode-request.ts';
import { readItem } from '../../services/realtime/src/emulation/new-item.ts';
import { fromBeta, toBeta } from '../../services/realtime/src/socket/beta.ts';
import { ResponseWriter } from '../../shared/formats/src/realtime/render-response.ts';
import { faultOf, list, many } from './cost.ts';
import { type Naming, type Place, placesIn } from './schema.ts';

type Fields = Record<string, unknown>;

/** Values that the schemas of events leave to a second one. */
const inner: Fields = {
  session: realtimeSettings.extend({ type: z.literal('realtime') }),
  item: realtimeItem,
  response: realtimeResponseSettings.extend({
    input: z.array(z.union([realtimeItem, realtimeItemReference])),
  }),
};

/** A session of a client, of the beta or of the current protocol, whose models never answer. */
function opened(isBeta: boolean, onError = (_event: object) => {}): (event: Fields) => void {
  let ids = 0;
  const options: EmulationOptions = {
    model: 'm',
    expiresAt: 1,
    transcription: 'ears',
    speech: true,
    voice: undefined,
    context: 100_000,
    models: {
      generate: request => {
        JSON.stringify(request);
        return { done: new Promise(() => {}), usage: () => null };
      },
      transcribe: () => new Promise(() => {}),
      speak: () => new Promise(() => {}),
    } as EmulationOptions['models'],
    turn: async () => {},
    ready: async () => {},
    newId: prefix => `${prefix}_${++ids}`,
    emit: event => {
      if (event.type === 'error') onError(event);
      for (const each of isBeta ? toBeta({ ...event }) : [event]) JSON.stringify(each);
    },
    ...(isBeta && { translate: fromBeta }),
  };
  const emulation = new Emulation(options);
  emulation.begin();
  return event => void emulation.receive(Buffer.from(JSON.stringify(event)));
}

const message = (i: number, more: Fields = {}) => ({
  type: 'conversation.item.create',
  item: { type: 'message', id: `name${i}`, role: 'user', content: [{ type: 'input_text', text: 'a' }] },
  ...more,
});
const called = (i: number) => ({
  type: 'conversation.item.create',
  item: { type: 'function_call', id: `call${i}`, call_id: `name${i}`, name: 'f', arguments: '{}' },
});
const answered = (i: number) => ({
  type: 'conversation.item.create',
  item: { type: 'function_call_output', id: `output${i}`, call_id: `name${i}`, output: 'r' },
});
const respond = (response: Fields = {}) => ({ type: 'response.create', response });

/** Returns what the client sent before an event with `n` items: items whose names it may have. */
const before = (n: number) => [...list(Math.min(n, 50), i => message(i)), ...list(Math.min(n, 50), called)];

function places(event: z.ZodType): Place[] {
  const { shape } = (event as unknown as { def: { shape: Fields } }).def;
  const replaced = Object.fromEntries(
    Object.entries(shape).map(([name, value]) => [name, inner[name] ?? value]),
  );
  return placesIn(z.object(replaced as z.ZodRawShape)).filter(({ field }) => field !== 'type');
}

const events = realtimeClientEvent.options.map((event): [string, z.ZodType] => [
  [...(event as unknown as { def: { shape: { type: { values: Set<string> } } } }).def.shape.type.values][0] ??
    '',
  event,
]);

describe.each([false, true])('a session of the beta: %s', isBeta => {
  test.each(events)('an event %s takes no longer for each item if any field of it grows', (type, event) => {
    const faults = places(event).flatMap(place =>
      (place.isList ? (['matching', 'alike'] as Naming[]) : (['matching'] as Naming[])).flatMap(naming => {
        const fault = faultOf(n => {
          const send = opened(isBeta);
          for (const each of before(n)) send(each);
          const grown = JSON.parse(JSON.stringify({ type, [place.field]: place.grown(n, naming) }));
          return () => send(grown);
        });
        return fault ? [`${place.path} ${naming}: ${fault}`] : [];
      }),
    );
    expect(faults).toEqual([]);
  });
});

/** Many events of a client. */
const sequences: Record<string, (n: number) => Fields[]> = {
  items: n => list(n, i => message(i)),
  'items before all others': n => list(n, i => message(i, { previous_item_id: 'root' })),
  'items after the first': n => list(n, i => message(i, i ? { previous_item_id: 'name0' } : {})),
  'items after the last': n => list(n, i => message(i, i ? { previous_item_id: `name${i - 1}` } : {})),
  'items that are read': n => [
    ...list(n / 2, i => message(i)),
    ...list(n / 2, i => ({ type: 'conversation.item.retrieve', item_id: `name${i}` })),
  ],
  'items that are deleted': n => [
    ...list(n / 2, i => message(i)),
    ...list(n / 2, i => ({ type: 'conversation.item.delete', item_id: `name${n / 2 - 1 - i}` })),
  ],
  'calls and their outputs': n => [...list(n / 2, called), ...list(n / 2, answered)],
  'pieces of sound': n => list(n, () => ({ type: 'input_audio_buffer.append', audio: 'AAAAAAAA' })),
  'references to an item': n => [
    message(0),
    respond({ conversation: 'none', input: list(n, () => ({ type: 'item_reference', id: 'name0' })) }),
  ],
  'references to items': n => [
    ...list(n, i => message(i)),
    respond({ conversation: 'none', input: list(n, i => ({ type: 'item_reference', id: `name${i}` })) }),
  ],
  'items of a conversation that is answered': n => [...list(n, i => message(i)), respond()],
};

test.each(Object.entries(sequences))('a session takes no longer for each of more %s', (_what, sequence) => {
  const errors: object[] = [];
  const send = opened(false, event => errors.push(event));
  for (const event of sequence(8)) send(event);
  expect(errors).toEqual([]);
  const fault = faultOf(
    n => {
      const sent = sequence(n);
      return () => {
        const send = opened(false);
        for (const event of sent) send(event);
      };
    },
    { ...many, atAStretch: false },
  );
  expect(fault).toBeUndefined();
});

test('a conversation is written for a model in time that grows with it', () => {
  const newId = (prefix: string) => prefix;
  const settings = { tools: [], max_output_tokens: 'inf', instructions: '' } as never;
  const fault = faultOf(n => {
    const items = [...list(n / 2, called), ...list(n / 2, i => answered(n / 2 - 1 - i)), message(0)].map(
      ({ item }) => readItem(item, 'item', newId).item,
    );
    return () => JSON.stringify(encodeRequest(items, settings));
  }, many);
  expect(fault).toBeUndefined();
});

const start: GenerateEvent = { type: 'start', id: '', model: '' };
const finish: GenerateEvent = { type: 'finish', reason: 'stop', raw: null, usage: null };
const part = (index: number, part: Fields, deltas: string[]): GenerateEvent[] =>
  [
    { type: 'part-start', index, part },
    ...deltas.map(text => ({ type: 'part-delta', index, text })),
    { type: 'part-end', index },
  ] as GenerateEvent[];
const call = (i: number) => ({ type: 'tool-call', id: `c${i}`, name: 'f' });

/** Answers of a model. */
const answers: Record<string, (n: number) => GenerateEvent[]> = {
  'pieces of a text': n =>
    part(
      0,
      { type: 'text' },
      list(n, () => 'a'),
    ),
  'sentences of a text': n =>
    part(
      0,
      { type: 'text' },
      list(n, () => 'These are words. '),
    ),
  'sentences in one piece': n => part(0, { type: 'text' }, ['These are words. '.repeat(n)]),
  'words without an end': n => part(0, { type: 'text' }, ['word'.repeat(10 * n)]),
  texts: n => list(n, i => part(i, { type: 'text' }, ['a'])).flat(),
  'texts and reasoning': n => list(n, i => part(i, { type: i % 2 ? 'text' : 'reasoning' }, ['a'])).flat(),
  calls: n => list(n, i => part(i, call(i), ['{}'])).flat(),
  'calls that end later': n => [
    ...list(n, i => part(i, call(i), ['{}'])[0] as GenerateEvent),
    ...list(n, i => part(i, call(i), ['{}']).slice(1)).flat(),
  ],
  'pieces of a call': n =>
    part(
      0,
      call(0),
      list(n, () => '{}'),
    ),
};

test.each(Object.entries(answers))('an answer takes no longer for each of more %s', (_what, answer) => {
  const faults = [false, true].map(isSpoken =>
    faultOf(
      n => {
        const all = [start, ...answer(n), finish];
        return () => {
          let ids = 0;
          const sink = {
            emit: (event: object) => void JSON.stringify(event),
            newId: () => `item_${++ids}`,
            add: () => null,
            finished() {},
            ...(isSpoken && {
              speaker: { say: (_: string, on: (audio: Buffer) => void) => on(Buffer.alloc(64)) } as never,
              voice: () => (audio: Buffer) => ({ delta: audio.toString('base64'), ms: 1 }),
            }),
          };
          const writer = new ResponseWriter({ id: 'r', output: [] } as never, sink);
          for (const event of all) writer.add(event);
          writer.close({ type: 'completed' }, null);
        };
      },
      { ...many, atAStretch: false },
    ),
  );
  expect(faults).toEqual([undefined, undefined]);
});
