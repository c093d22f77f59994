import {
  type Citation,
  type FinishEvent,
  type GenerateEvent,
  noUsage,
  type Signature,
} from '@model-gateway/canonical';
import { finish as finishOf, folded, partEvents } from '@model-gateway/canonical/testing/events';
import { signed } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { readChunks } from '../testing/chunk-reader.ts';
import { testFixtures } from '../testing/fixtures.ts';
import { ArrayFraming, generateContentRenderer } from './render.ts';

const context = { requestId: 'req_1', created: 0 };
const usage = { ...noUsage, input: 30, cachedInput: 10, output: 28, reasoning: 20 };
const start: GenerateEvent = { type: 'start', id: 'r1', model: 'up-1' };
const finish = finishOf('stop', { usage });
type End = { signature?: Signature; citations?: Citation[] };

const text = (index: number, pieces: string[], end: End = {}) =>
  partEvents(index, { type: 'text' }, pieces, end);
const thought = (index: number, pieces: string[], end: End = {}) =>
  partEvents(index, { type: 'reasoning' }, pieces, end);
const call = (index: number, pieces: string[], end: End = {}, id = `c${index}`) =>
  partEvents(index, { type: 'tool-call', id, name: 'f' }, pieces, end);
const functionCall = (id: string, args: object = {}) => ({ functionCall: { id, name: 'f', args } });

const renderer = (showThoughts = true) => generateContentRenderer({ model: 'asked', showThoughts });
const streamed = (events: GenerateEvent[], show = true) =>
  events.map(renderer(show).stream(context).add).join('');
const whole = (events: GenerateEvent[], show = true) =>
  JSON.parse(JSON.stringify(renderer(show).whole(folded(events), context)));

const all = (...parts: GenerateEvent[][]) => [start, ...parts.flat(), finish];
const streamedParts = (events: GenerateEvent[], show = true) =>
  readChunks(streamed(events, show)).flatMap(chunk => chunk.candidates?.[0]?.content?.parts ?? []);
const lastOf = (events: GenerateEvent[]) => readChunks(streamed(events)).at(-1)?.candidates?.[0];

testFixtures(import.meta.dirname, 'render', (from: { events: GenerateEvent[]; show?: boolean }) => {
  const told = from.events.map(event => (event.type === 'finish' ? { ...finish, ...event } : event));
  const events = [start, ...told];
  const stream = readChunks(streamed(events, from.show)).flatMap(({ candidates = [] }) => candidates);
  return { candidates: whole(events, from.show).candidates, stream };
});

describe('a complete response', () => {
  test('a complete response has every field of the format', () => {
    expect(whole(all(text(0, ['Hi'])))).toEqual({
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      usageMetadata: {
        ...{ promptTokenCount: 30, cachedContentTokenCount: 10, candidatesTokenCount: 8 },
        ...{ thoughtsTokenCount: 20, toolUsePromptTokenCount: 0, totalTokenCount: 58 },
      },
      ...{ modelVersion: 'up-1', responseId: 'r1' },
    });
  });

  test('a response without model, id and usage gets those of the request, and zeros', () => {
    const nameless: GenerateEvent = { type: 'start', id: '', model: '' };
    expect(whole([nameless, ...text(0, ['Hi']), { ...finish, usage: null }])).toMatchObject({
      ...{ modelVersion: 'asked', responseId: 'req_1' },
      usageMetadata: { promptTokenCount: 0, totalTokenCount: 0 },
    });
  });

  test('usage has the prompt tokens per modality if they are known', () => {
    const counts = { ...usage, audioInput: 5, imageInput: 7 };
    const { usageMetadata } = whole([start, ...text(0, ['Hi']), { ...finish, usage: counts }]);
    const details = Object.entries({ TEXT: 18, IMAGE: 7, AUDIO: 5 });
    const promptTokensDetails = details.map(([modality, tokenCount]) => ({ modality, tokenCount }));
    expect(usageMetadata).toMatchObject({ promptTokensDetails });
  });
});

test('a stream is rendered byte for byte as clients expect', () => {
  const tail = '"modelVersion":"up-1","responseId":"r1"}\n\n';
  const counts =
    '{"promptTokenCount":30,"cachedContentTokenCount":10,"candidatesTokenCount":8,"thoughtsTokenCount":20,"toolUsePromptTokenCount":0,"totalTokenCount":58}';
  expect(streamed(all(text(0, ['4 ', 'C\u2028'])))).toBe(
    `data: {"candidates":[{"content":{"role":"model","parts":[{"text":"4 "}]},"index":0}],${tail}` +
      `data: {"candidates":[{"content":{"role":"model","parts":[{"text":"C\\u2028"}]},"index":0}],${tail}` +
      `data: {"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"STOP","index":0}],"usageMetadata":${counts},${tail}`,
  );
});

describe('parts', () => {
  test('integers beyond 2^53 are kept exactly', () => {
    const events = all(call(0, ['{"n":12345678901234567890}']));
    expect(streamed(events)).toContain('"args":{"n":12345678901234567890}');
    expect(JSON.stringify(renderer().whole(folded(events), context))).toContain('12345678901234567890');
  });
});

describe('a stream', () => {
  test('a stream sends a call once it is complete, and later parts after it', () => {
    const [a, a1, a2, aEnd] = call(0, ['{"x":', '1}'], {}, 'a') as [GenerateEvent, ...GenerateEvent[]];
    const [b, b1, bEnd] = call(1, ['{}'], {}, 'b') as [GenerateEvent, ...GenerateEvent[]];
    const write = renderer().stream(context).add;
    const early = [start, a, a1, b, b1, a2, bEnd].map(event => write(event as GenerateEvent));
    expect(early.slice(1).join('')).toBe('');
    const chunks = readChunks(write(aEnd as GenerateEvent), false);
    const parts = chunks.map(chunk => chunk.candidates?.[0]?.content?.parts[0]);
    expect(parts).toEqual([functionCall('a', { x: 1 }), functionCall('b')]);
  });

  test('a stream ends the parts that the upstream left open', () => {
    const open = call(0, ['{"a":1}']).slice(0, -1);
    expect(streamedParts([start, ...open, finish])).toEqual([functionCall('c0', { a: 1 })]);
  });

  test('every chunk has a part, the model and the id: some clients drop a response otherwise', () => {
    const events = all(thought(0, ['a'], signed('Eq')), text(1, ['b']), call(2, []));
    for (const chunk of readChunks(streamed(events))) {
      expect(chunk).toMatchObject({ modelVersion: 'up-1', responseId: 'r1' });
      expect(chunk.candidates?.[0]?.content).toMatchObject({ role: 'model', parts: [expect.anything()] });
    }
  });
});

describe('the finish reason', () => {
  const ending = (end: Partial<FinishEvent>, ...parts: GenerateEvent[][]) => {
    const events = [start, ...parts.flat(), { ...finish, ...end }];
    const { content, index: _, ...rest } = whole(events).candidates[0];
    const last = lastOf(events);
    expect([last?.finishReason, last?.finishMessage]).toEqual([rest.finishReason, rest.finishMessage]);
    return { ...rest, content: content?.parts };
  };

  test.each(
    rows<[Partial<FinishEvent>, string]>`
    - [{reason: stop}, STOP]
    - [{reason: stop-sequence}, STOP]
    - [{reason: length}, MAX_TOKENS]
    - [{reason: tool-calls}, STOP]
    - [{reason: content-filter}, SAFETY]
    - [{reason: refusal}, SAFETY]
    - [{reason: pause}, OTHER]
    - [{reason: other, raw: brand_new}, MAX_TOKENS]
    - [{reason: other, raw: OTHER}, OTHER]
    - [{reason: content-filter, raw: RECITATION}, RECITATION]
    - [{reason: other, raw: MALFORMED_FUNCTION_CALL}, MALFORMED_FUNCTION_CALL]
  `,
  )('%j becomes %s', (end, finishReason) => {
    expect(ending(end, text(0, ['a']))).toEqual({ finishReason, content: [{ text: 'a' }] });
  });
});

describe('citations', () => {
  const a = { url: 'https://a.example', title: 'A' };
  const segment = (startIndex: number, endIndex: number, text: string) => ({ startIndex, endIndex, text });
  const segmentsOf = (events: GenerateEvent[]): { text?: string }[] =>
    whole(events).candidates[0].groundingMetadata.groundingSupports.map(
      (support: { segment: object }) => support.segment,
    );

  test('places in a long text are counted in bytes', () => {
    const long = '😀ž'.repeat(2_000);
    const cited = [1_023, 1_024, 1_025, 4_000, 6_000].map(end => ({ ...a, start: 3, end }));
    expect(segmentsOf(all(text(0, [long], { citations: cited })))).toEqual(
      cited.map(({ end }) => segment(6, Buffer.byteLength(long.slice(0, end)), long.slice(3, end))),
    );
  });

  test('an answer repeats a text for some of its citations alone', () => {
    const cited = Array.from({ length: 30 }, () => a);
    const segments = segmentsOf(all(text(0, ['x'.repeat(50_000)], { citations: cited })));
    expect(segments.map(each => each.text?.length)).toEqual(
      cited.map((_, at) => (at < 20 ? 50_000 : undefined)),
    );
  });
});

describe('a stream as a JSON array', () => {
  const chunks = [{ text: 'ž😀\u2028' }, { error: { code: 503 } }, { last: true }];
  const sse = chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join('');

  test.each([1, 2, 7, 1_000])('events in chunks of %i bytes become the elements of one array', size => {
    const framing = new ArrayFraming();
    const bytes = Buffer.from(sse);
    let text = '';
    for (let at = 0; at < bytes.length; at += size) text += framing.write(bytes.subarray(at, at + size));
    text += framing.write('') + framing.end();
    expect(JSON.parse(text)).toEqual(chunks);
  });

  test('each element is written as soon as its event is complete', () => {
    const framing = new ArrayFraming();
    expect(framing.write('data: {"a":1}\n\ndata: {"b"')).toBe('[{"a":1}');
    expect(framing.write(':2}\n\n')).toBe('\n,\n{"b":2}');
  });

  test('a stream without events is an empty array', () => {
    expect(JSON.parse(new ArrayFraming().end())).toEqual([]);
  });
});
