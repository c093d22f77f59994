import {
  type Citation,
  type FinishEvent,
  type GenerateEvent,
  noUsage,
  type PartStart,
  type Signature,
} from '@model-gateway/canonical';
import { finish as finishOf, folded, partEvents } from '@model-gateway/canonical/testing/events';
import { link, media, opaque, png, signed } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { readChunks } from '../testing/chunk-reader.ts';
import { generateContentRenderer } from './render.ts';

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
const own = (value: string) => signed(value, 'generate-content');
const tagged = (value: string) => Buffer.from(value).toString('base64');
const functionCall = (id: string, args: object = {}) => ({ functionCall: { id, name: 'f', args } });

const renderer = (showThoughts = true) => generateContentRenderer({ model: 'asked', showThoughts });
const streamed = (events: GenerateEvent[], show = true) =>
  events.map(renderer(show).stream(context).add).join('');
const whole = (events: GenerateEvent[], show = true) =>
  JSON.parse(JSON.stringify(renderer(show).whole(folded(events), context)));

const all = (...parts: GenerateEvent[][]) => [start, ...parts.flat(), finish];
const wholeParts = (events: GenerateEvent[], show = true) => whole(events, show).candidates[0].content?.parts;
const streamedParts = (events: GenerateEvent[], show = true) =>
  readChunks(streamed(events, show)).flatMap(chunk => chunk.candidates?.[0]?.content?.parts ?? []);
const lastOf = (events: GenerateEvent[]) => readChunks(streamed(events)).at(-1)?.candidates?.[0];

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
  const red: PartStart = { type: 'reasoning', redacted: true };
  const code = { executableCode: { code: '1' } };
  test.each<[string, GenerateEvent[][], object[]]>([
    ['text', [text(0, ['a', 'b'])], [{ text: 'ab' }]],
    ['text signed by this vendor', [text(0, ['a'], own('Cg=='))], [{ text: 'a', thoughtSignature: 'Cg==' }]],
    [
      'thoughts, then text',
      [thought(0, ['a', 'b']), text(1, ['c'])],
      [{ text: 'ab', thought: true }, { text: 'c' }],
    ],
    [
      'a signed and an unsigned call of this vendor',
      [call(0, ['{"a"', ':1}'], own('Cg==')), call(1, [])],
      [{ ...functionCall('c0', { a: 1 }), thoughtSignature: 'Cg==' }, functionCall('c1')],
    ],
    [
      'thoughts signed by another vendor: the call after them carries the signature',
      [thought(0, ['a'], signed('EqQB+/==')), call(1, ['{}'])],
      [
        { text: 'a', thought: true },
        { ...functionCall('c1'), thoughtSignature: tagged('am:EqQB+/==') },
      ],
    ],
    [
      'thoughts signed by another vendor: the text after them carries the signature',
      [thought(0, [], signed('rs', 'responses')), text(1, ['a'])],
      [{ text: 'a', thoughtSignature: tagged('or:rs') }],
    ],
    [
      'thoughts signed by another vendor without a part after them',
      [thought(0, ['a'], signed('Eq'))],
      [{ text: 'a', thought: true, thoughtSignature: tagged('am:Eq') }],
    ],
    [
      'several signed thoughts: each keeps its own',
      [
        ...[thought(0, ['a'], signed('1')), partEvents(1, red, [], signed('2'))],
        ...[thought(2, [], signed('3')), call(3, [])],
      ],
      [
        { text: 'a', thought: true, thoughtSignature: tagged('am:1') },
        { thought: true, thoughtSignature: tagged('am:2') },
        { ...functionCall('c3'), thoughtSignature: tagged('am:3') },
      ],
    ],
    ['a call without an id', [call(0, ['{}'], {}, '')], [functionCall('call_1_0_0')]],
    [
      'arguments that are not an object',
      [call(0, ['[1]']), call(1, ['{"a']), call(2, ['null']), call(3, [' '])],
      [{ value: [1] }, { _raw: '{"a' }, {}, {}].map((args, i) => functionCall(`c${i}`, args)),
    ],
    ['an image', [partEvents(0, png)], [{ inlineData: { mimeType: 'image/png', data: 'iVBO' } }]],
    [
      'a link',
      [partEvents(0, media('image', link('https://i/a')))],
      [{ fileData: { fileUri: 'https://i/a' } }],
    ],
    [
      'opaque parts of this format, but not of another',
      [partEvents(0, opaque(code, 'generate-content')), partEvents(1, opaque({ type: 'x' }))],
      [code],
    ],
    ['nothing', [], [{ text: '' }]],
  ])('%s: rendered whole and streamed', (_what, parts, expected) => {
    expect(wholeParts(all(...parts))).toEqual(expected);
    expect(lastOf(all(...parts))).toHaveProperty('finishReason', 'STOP');
  });

  test('integers beyond 2^53 are kept exactly', () => {
    const events = all(call(0, ['{"n":12345678901234567890}']));
    expect(streamed(events)).toContain('"args":{"n":12345678901234567890}');
    expect(JSON.stringify(renderer().whole(folded(events), context))).toContain('12345678901234567890');
  });

  test('reasoning is sent only if requested, but its signature always is', () => {
    const events = all(thought(0, ['a'], signed('Eq')), text(1, ['b', 'c']));
    const signature = { thoughtSignature: tagged('am:Eq') };
    expect(wholeParts(events, false)).toEqual([{ text: 'bc', ...signature }]);
    expect(streamedParts(events, false)).toEqual([{ text: 'b', ...signature }, { text: 'c' }, { text: '' }]);
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

test('several candidates have their own parts and finish reasons, and one usage', () => {
  const [b, b1, bEnd] = text(0, ['b']).map(event => ({ ...event, choice: 1 })) as GenerateEvent[];
  const end = { type: 'choice-end', choice: 1, reason: 'length', raw: null };
  const events = [start, b, b1, ...text(0, ['a']), bEnd, end, finish] as GenerateEvent[];
  const candidate = (index: number, value: string, finishReason: string) => ({
    ...{ index, content: { role: 'model', parts: [{ text: value }] }, finishReason },
  });
  expect(whole(events).candidates).toEqual([candidate(0, 'a', 'STOP'), candidate(1, 'b', 'MAX_TOKENS')]);
  const chunks = readChunks(streamed(events));
  const ends = chunks.flatMap(({ candidates = [] }) =>
    candidates.flatMap(({ index, finishReason }) => (finishReason ? [[index, finishReason]] : [])),
  );
  expect(ends).toEqual([
    [1, 'MAX_TOKENS'],
    [0, 'STOP'],
  ]);
  expect(chunks.filter(chunk => chunk.usageMetadata)).toEqual([chunks.at(-1)]);
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

  test('a refusal has a finish message and no content', () => {
    const refusal = partEvents(0, { type: 'refusal' }, ['I ', 'cannot.']);
    const expected = { finishReason: 'SAFETY', finishMessage: 'I cannot.', content: undefined };
    expect(ending({ reason: 'stop' }, refusal)).toEqual(expected);
    expect(ending({ reason: 'refusal' }, refusal)).toEqual(expected);
    expect(ending({ reason: 'refusal', explanation: 'I cannot.' })).toEqual(expected);
  });

  test('a response whose reasoning used up the token limit is not a refusal', () => {
    expect(ending({ reason: 'length' })).toEqual({ finishReason: 'MAX_TOKENS', content: [{ text: '' }] });
  });
});

describe('citations', () => {
  const a = { url: 'https://a.example', title: 'A' };
  const citations = [
    { ...a, start: 2, end: 4 },
    { url: 'https://b.example', title: '' },
    { ...a, start: 0, end: 1 },
  ];
  const segment = (startIndex: number, endIndex: number, text: string) => ({ startIndex, endIndex, text });
  const segmentsOf = (events: GenerateEvent[]): { text?: string }[] =>
    whole(events).candidates[0].groundingMetadata.groundingSupports.map(
      (support: { segment: object }) => support.segment,
    );

  test('each source is listed once, with the byte ranges that cite it', () => {
    const events = all(thought(0, ['x']), text(1, ['ž', 'a😀'], { citations }));
    const groundingChunks = [
      { web: { uri: 'https://a.example', title: 'A' } },
      { web: { uri: 'https://b.example' } },
    ];
    const support = (place: object, index: number) => ({
      ...{ segment: { partIndex: 1, ...place }, groundingChunkIndices: [index] },
    });
    expect(whole(events).candidates[0].groundingMetadata).toEqual({
      groundingChunks,
      groundingSupports: [
        ...[
          support(segment(3, 7, '😀'), 0),
          support(segment(0, 7, 'ža😀'), 1),
          support(segment(0, 2, 'ž'), 0),
        ],
      ],
    });
    const groundingSupports = [{ segment: { startIndex: 3, endIndex: 7 } }, {}, {}];
    expect(lastOf(events)?.groundingMetadata).toMatchObject({ groundingChunks, groundingSupports });
  });

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

  test('citations in a stream have offsets in the whole text', () => {
    const events = all(text(0, ['ž']), call(1, []), text(2, ['b'], { citations: citations.slice(1, 2) }));
    const groundingSupports = [{ segment: segment(2, 3, 'b') }];
    expect(lastOf(events)?.groundingMetadata).toMatchObject({ groundingSupports });
  });
});
