import {
  AnswerFold,
  type Citation,
  type FinishEvent,
  type GenerateEvent,
  noUsage,
  type PartStart,
  type Signature,
} from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { readChunks } from '../testing/chunk-reader.ts';
import { generateContentRenderer } from './render.ts';

const context = { requestId: 'req_1', created: 0 };
const usage = { ...noUsage, input: 30, cachedInput: 10, output: 28, reasoning: 20 };
const start: GenerateEvent = { type: 'start', id: 'r1', model: 'up-1' };
const finish: FinishEvent = { type: 'finish', reason: 'stop', raw: 'stop', usage };
type End = { signature?: Signature; citations?: Citation[] };

/** The events of a part whose text is split into the given deltas. */
const part = (index: number, begun: PartStart, pieces: string[] = [], end: End = {}): GenerateEvent[] => [
  { type: 'part-start', index, part: begun },
  ...pieces.map((text): GenerateEvent => ({ type: 'part-delta', index, text })),
  { type: 'part-end', index, ...end },
];
const text = (index: number, pieces: string[], end: End = {}) => part(index, { type: 'text' }, pieces, end);
const thought = (index: number, pieces: string[], end: End = {}) =>
  part(index, { type: 'reasoning' }, pieces, end);
const call = (index: number, pieces: string[], end: End = {}, id = `c${index}`) =>
  part(index, { type: 'tool-call', id, name: 'f' }, pieces, end);
const signed = (value: string, format: Signature['format'] = 'generate-content'): End => ({
  signature: { format, value },
});
const tagged = (value: string) => Buffer.from(value).toString('base64');

const renderer = (showThoughts = true) => generateContentRenderer({ model: 'asked', showThoughts });
const streamed = (events: GenerateEvent[], show = true) =>
  events.map(renderer(show).stream(context).add).join('');

function whole(events: GenerateEvent[], show = true): Record<string, unknown> & { candidates: Candidate[] } {
  const fold = new AnswerFold();
  const answer = events.flatMap(event => fold.add(event) ?? [])[0];
  if (!answer) throw new Error('the events have no end');
  return JSON.parse(JSON.stringify(renderer(show).whole(answer, context)));
}

interface Candidate {
  content?: { parts: object[] };
  [field: string]: unknown;
}
const all = (...parts: GenerateEvent[][]) => [start, ...parts.flat(), finish];
const wholeParts = (events: GenerateEvent[], show = true) =>
  whole(events, show).candidates[0]?.content?.parts;
const streamedParts = (events: GenerateEvent[], show = true) =>
  readChunks(streamed(events, show)).flatMap(
    chunk => (chunk.candidates?.[0]?.content?.parts ?? []) as object[],
  );

describe('a complete response', () => {
  test('a complete response has every field of the format', () => {
    expect(whole(all(text(0, ['Hi'])))).toEqual({
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: 30,
        cachedContentTokenCount: 10,
        candidatesTokenCount: 8,
        thoughtsTokenCount: 20,
        toolUsePromptTokenCount: 0,
        totalTokenCount: 58,
      },
      modelVersion: 'up-1',
      responseId: 'r1',
    });
  });

  test('a response without model, id and usage gets those of the request, and zeros', () => {
    const nameless: GenerateEvent = { type: 'start', id: '', model: '' };
    expect(whole([nameless, ...text(0, ['Hi']), { ...finish, usage: null }])).toMatchObject({
      modelVersion: 'asked',
      responseId: 'req_1',
      usageMetadata: { promptTokenCount: 0, totalTokenCount: 0 },
    });
  });

  test('usage has the prompt tokens per modality if they are known', () => {
    const counts = { ...usage, audioInput: 5, imageInput: 7 };
    expect(whole([start, ...text(0, ['Hi']), { ...finish, usage: counts }])).toMatchObject({
      usageMetadata: {
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 18 },
          { modality: 'IMAGE', tokenCount: 7 },
          { modality: 'AUDIO', tokenCount: 5 },
        ],
      },
    });
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
  test.each<[string, GenerateEvent[][], object[]]>([
    ['text', [text(0, ['a', 'b'])], [{ text: 'ab' }]],
    [
      'text signed by this vendor',
      [text(0, ['a'], signed('Cg=='))],
      [{ text: 'a', thoughtSignature: 'Cg==' }],
    ],
    [
      'thoughts, then text',
      [thought(0, ['a', 'b']), text(1, ['c'])],
      [{ text: 'ab', thought: true }, { text: 'c' }],
    ],
    [
      'a signed and an unsigned call of this vendor',
      [call(0, ['{"a"', ':1}'], signed('Cg==')), call(1, [])],
      [
        { functionCall: { id: 'c0', name: 'f', args: { a: 1 } }, thoughtSignature: 'Cg==' },
        { functionCall: { id: 'c1', name: 'f', args: {} } },
      ],
    ],
    [
      'thoughts signed by another vendor: the call after them carries the signature',
      [thought(0, ['a'], signed('EqQB+/==', 'messages')), call(1, ['{}'])],
      [
        { text: 'a', thought: true },
        { functionCall: { id: 'c1', name: 'f', args: {} }, thoughtSignature: tagged('am:EqQB+/==') },
      ],
    ],
    [
      'thoughts signed by another vendor: the text after them carries the signature',
      [thought(0, [], signed('rs', 'responses')), text(1, ['a'])],
      [{ text: 'a', thoughtSignature: tagged('or:rs') }],
    ],
    [
      'thoughts signed by another vendor without a part after them',
      [thought(0, ['a'], signed('Eq', 'messages'))],
      [{ text: 'a', thought: true, thoughtSignature: tagged('am:Eq') }],
    ],
    [
      'several signed thoughts: each keeps its own',
      [
        thought(0, ['a'], signed('1', 'messages')),
        part(1, red, [], signed('2', 'messages')),
        thought(2, [], signed('3', 'messages')),
        call(3, []),
      ],
      [
        { text: 'a', thought: true, thoughtSignature: tagged('am:1') },
        { thought: true, thoughtSignature: tagged('am:2') },
        { functionCall: { id: 'c3', name: 'f', args: {} }, thoughtSignature: tagged('am:3') },
      ],
    ],
    [
      'a call without an id',
      [call(0, ['{}'], {}, '')],
      [{ functionCall: { id: 'call_1_0_0', name: 'f', args: {} } }],
    ],
    [
      'arguments that are not an object',
      [call(0, ['[1]']), call(1, ['{"a']), call(2, ['null']), call(3, [' '])],
      [{ value: [1] }, { _raw: '{"a' }, {}, {}].map((args, i) => ({
        functionCall: { id: `c${i}`, name: 'f', args },
      })),
    ],
    [
      'an image',
      [
        part(0, {
          type: 'media',
          kind: 'image',
          source: { type: 'base64', data: 'iVBO' },
          mediaType: 'image/png',
        }),
      ],
      [{ inlineData: { mimeType: 'image/png', data: 'iVBO' } }],
    ],
    [
      'a link',
      [part(0, { type: 'media', kind: 'image', source: { type: 'url', url: 'https://i.example/a' } })],
      [{ fileData: { fileUri: 'https://i.example/a' } }],
    ],
    [
      'opaque parts of this format, but not of another',
      [
        part(0, { type: 'opaque', format: 'generate-content', value: { executableCode: { code: '1' } } }),
        part(1, { type: 'opaque', format: 'messages', value: { type: 'x' } }),
      ],
      [{ executableCode: { code: '1' } }],
    ],
    ['nothing', [], [{ text: '' }]],
  ])('%s: rendered whole and streamed', (_what, parts, expected) => {
    expect(wholeParts(all(...parts))).toEqual(expected);
    const reader = readChunks(streamed(all(...parts)));
    expect(reader.at(-1)?.candidates?.[0]).toHaveProperty('finishReason', 'STOP');
  });

  test('integers beyond 2^53 are kept exactly', () => {
    const events = all(call(0, ['{"n":12345678901234567890}']));
    expect(streamed(events)).toContain('"args":{"n":12345678901234567890}');
    expect(JSON.stringify(renderer().whole({ ...folded(events) }, context))).toContain(
      '12345678901234567890',
    );
  });

  test('reasoning is sent only if requested, but its signature always is', () => {
    const events = all(thought(0, ['a'], signed('Eq', 'messages')), text(1, ['b', 'c']));
    const signature = { thoughtSignature: tagged('am:Eq') };
    expect(wholeParts(events, false)).toEqual([{ text: 'bc', ...signature }]);
    expect(streamedParts(events, false)).toEqual([{ text: 'b', ...signature }, { text: 'c' }, { text: '' }]);
  });
});

describe('a stream', () => {
  test('a stream sends a call once it is complete, and later parts after it', () => {
    const stream = renderer().stream(context).add;
    const write = (event: GenerateEvent) => stream(event);
    write(start);
    expect(write({ type: 'part-start', index: 0, part: { type: 'tool-call', id: 'a', name: 'f' } })).toBe('');
    expect(write({ type: 'part-delta', index: 0, text: '{"x":' })).toBe('');
    expect(write({ type: 'part-start', index: 1, part: { type: 'tool-call', id: 'b', name: 'g' } })).toBe('');
    expect(write({ type: 'part-delta', index: 1, text: '{}' })).toBe('');
    expect(write({ type: 'part-delta', index: 0, text: '1}' })).toBe('');
    expect(write({ type: 'part-end', index: 1 })).toBe('');
    const chunks = readChunks(write({ type: 'part-end', index: 0 }), false);
    expect(chunks.map(chunk => chunk.candidates?.[0]?.content?.parts[0])).toEqual([
      { functionCall: { id: 'a', name: 'f', args: { x: 1 } } },
      { functionCall: { id: 'b', name: 'g', args: {} } },
    ]);
  });

  test('a stream ends the parts that the upstream left open', () => {
    const open = call(0, ['{"a":1}']).slice(0, -1);
    expect(streamedParts([start, ...open, finish])).toEqual([
      { functionCall: { id: 'c0', name: 'f', args: { a: 1 } } },
    ]);
  });

  test('every chunk has a part, the model and the id: some clients drop a response otherwise', () => {
    const events = all(thought(0, ['a'], signed('Eq', 'messages')), text(1, ['b']), call(2, []));
    for (const chunk of readChunks(streamed(events))) {
      expect(chunk).toMatchObject({ modelVersion: 'up-1', responseId: 'r1' });
      expect(chunk.candidates?.[0]?.content).toMatchObject({ role: 'model', parts: [expect.anything()] });
    }
  });
});

describe('several candidates', () => {
  const events: GenerateEvent[] = [
    start,
    { type: 'part-start', index: 0, choice: 1, part: { type: 'text' } },
    { type: 'part-delta', index: 0, choice: 1, text: 'b' },
    ...text(0, ['a']),
    { type: 'part-end', index: 0, choice: 1 },
    { type: 'choice-end', choice: 1, reason: 'length', raw: null },
    finish,
  ];

  test('several candidates have their own parts and finish reasons, and one usage', () => {
    expect(whole(events).candidates).toEqual([
      { index: 0, content: { role: 'model', parts: [{ text: 'a' }] }, finishReason: 'STOP' },
      { index: 1, content: { role: 'model', parts: [{ text: 'b' }] }, finishReason: 'MAX_TOKENS' },
    ]);
    const chunks = readChunks(streamed(events));
    const ends = chunks.flatMap(({ candidates = [] }) =>
      candidates.filter(({ finishReason }) => finishReason),
    );
    expect(ends.map(({ index, finishReason }) => [index, finishReason])).toEqual([
      [1, 'MAX_TOKENS'],
      [0, 'STOP'],
    ]);
    expect(chunks.filter(chunk => chunk.usageMetadata)).toEqual([chunks.at(-1)]);
  });
});

describe('the finish reason', () => {
  const ending = (end: Partial<FinishEvent>, ...parts: GenerateEvent[][]) => {
    const events = [start, ...parts.flat(), { ...finish, ...end }];
    const { content, ...candidate } = whole(events).candidates[0] as Candidate;
    const last = readChunks(streamed(events)).at(-1)?.candidates?.[0];
    expect(last?.finishReason).toBe(candidate.finishReason);
    expect(last?.finishMessage).toBe(candidate.finishMessage);
    const { index: _, ...rest } = candidate;
    return { ...rest, content: content?.parts };
  };
  const a = text(0, ['a']);

  test.each<[Partial<FinishEvent>, string]>([
    [{ reason: 'stop' }, 'STOP'],
    [{ reason: 'stop-sequence' }, 'STOP'],
    [{ reason: 'length' }, 'MAX_TOKENS'],
    [{ reason: 'tool-calls' }, 'STOP'],
    [{ reason: 'content-filter' }, 'SAFETY'],
    [{ reason: 'refusal' }, 'SAFETY'],
    [{ reason: 'pause' }, 'OTHER'],
    [{ reason: 'other' }, 'OTHER'],
    [{ reason: 'content-filter', raw: 'RECITATION' }, 'RECITATION'],
    [{ reason: 'other', raw: 'MALFORMED_FUNCTION_CALL' }, 'MALFORMED_FUNCTION_CALL'],
  ])('%j becomes %s', (end, finishReason) => {
    expect(ending(end, a)).toEqual({ finishReason, content: [{ text: 'a' }] });
  });

  test('a refusal has a finish message and no content', () => {
    const refusal = part(0, { type: 'refusal' }, ['I ', 'cannot.']);
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
  const citations = [
    { url: 'https://a.example', title: 'A', start: 2, end: 4 },
    { url: 'https://b.example', title: '' },
    { url: 'https://a.example', title: 'A', start: 0, end: 1 },
  ];
  const chunks = [{ web: { uri: 'https://a.example', title: 'A' } }, { web: { uri: 'https://b.example' } }];

  test('each source is listed once, with the byte ranges that cite it', () => {
    const events = all(thought(0, ['x']), text(1, ['ž', 'a😀'], { citations }));
    expect(whole(events).candidates[0]?.groundingMetadata).toEqual({
      groundingChunks: chunks,
      groundingSupports: [
        { segment: { partIndex: 1, startIndex: 3, endIndex: 7, text: '😀' }, groundingChunkIndices: [0] },
        { segment: { partIndex: 1, startIndex: 0, endIndex: 7, text: 'ža😀' }, groundingChunkIndices: [1] },
        { segment: { partIndex: 1, startIndex: 0, endIndex: 2, text: 'ž' }, groundingChunkIndices: [0] },
      ],
    });
    const last = readChunks(streamed(events)).at(-1)?.candidates?.[0];
    expect(last?.groundingMetadata).toMatchObject({
      groundingChunks: chunks,
      groundingSupports: [{ segment: { startIndex: 3, endIndex: 7 } }, {}, {}],
    });
  });

  test('citations in a stream have offsets in the whole text', () => {
    const events = all(text(0, ['ž']), call(1, []), text(2, ['b'], { citations: citations.slice(1, 2) }));
    expect(readChunks(streamed(events)).at(-1)?.candidates?.[0]?.groundingMetadata).toMatchObject({
      groundingSupports: [{ segment: { startIndex: 2, endIndex: 3, text: 'b' } }],
    });
  });
});

function folded(events: GenerateEvent[]) {
  const fold = new AnswerFold();
  const answer = events.flatMap(event => fold.add(event) ?? [])[0];
  if (!answer) throw new Error('the events have no end');
  return answer;
}
