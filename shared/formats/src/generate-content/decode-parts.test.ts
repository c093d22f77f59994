import type { GenerateEvent } from '@model-gateway/canonical';
import { brief, folded } from '@model-gateway/canonical/testing/events';
import { signed, thought } from '@model-gateway/canonical/testing/parts';
import { describe, expect, test } from 'vitest';
import { chunkOf, decode, parts } from '../testing/generate-content-stream.ts';

const own = signed('S', 'generate-content');
const call = { functionCall: { id: 'a', name: 'f', args: {} } };
const hm = { text: 'Hm.', thought: true };
const png = { inlineData: { mimeType: 'image/png', data: 'iVBO' } };
const partsOf = (...content: object[]) => folded(decode(chunkOf(content))).parts;
const endsOf = (events: GenerateEvent[]) => events.filter(({ type }) => type === 'part-end');

describe('parts', () => {
  test('texts before and after a signature are separate parts', () => {
    const events = decode(chunkOf([{ text: 'a', thoughtSignature: 'S' }], {}) + chunkOf([{ text: 'b' }]));
    expect(brief(events)).toBe('0+text | 0 a | 0. | 1+text | 1 b | 1. | =stop');
    expect(endsOf(events)).toEqual([
      { type: 'part-end', index: 0, ...own },
      { type: 'part-end', index: 1 },
    ]);
  });

  test('reasoning keeps its position between other parts (pitfall 19)', () => {
    expect(partsOf({ text: 'a' }, hm, { text: 'b' }, call, hm)).toMatchObject([
      ...[{ text: 'a' }, thought('Hm.'), { text: 'b' }, { type: 'tool-call', id: 'a' }, thought('Hm.')],
    ]);
  });

  test('a signature after a call becomes reasoning without text', () => {
    for (const alone of [{ text: '', thoughtSignature: 'S' }, { thoughtSignature: 'S' }])
      expect(folded(decode(chunkOf([call], {}) + chunkOf([alone]))).parts).toMatchObject([
        ...[{ type: 'tool-call' }, thought('', own)],
      ]);
  });

  test('an image within reasoning is dropped, and a signature of an image stays on it', () => {
    expect(partsOf({ ...png, thought: true }, { text: 'a' })).toEqual([{ type: 'text', text: 'a' }]);
    const ends = endsOf(decode(chunkOf([{ text: 'a' }, { ...png, thoughtSignature: 'S' }])));
    expect(ends).toEqual([
      { type: 'part-end', index: 0 },
      { type: 'part-end', index: 1, ...own },
    ]);
  });

  test.each([
    ['audio/pcm;rate=24000', 'audio'],
    ['image/png', 'image'],
    ['application/pdf', 'document'],
  ])('inline data of type %s becomes media of kind %s', (mimeType, kind) => {
    const media = { inlineData: { mimeType, data: 'AAAA' } };
    expect(partsOf(media)).toMatchObject([{ type: 'media', kind, mediaType: mimeType }]);
  });

  test('a repeated call id is replaced by a generated id (pitfall 30)', () => {
    const ids = partsOf(call, call).map(part => part.type === 'tool-call' && part.id);
    expect(ids).toEqual(['a', expect.stringMatching(/^call_gg[0-9a-f]{24}$/)]);
  });

  test('generated call ids are unique across choices', () => {
    const unnamed = [{ functionCall: { name: 'f' } }];
    const stream = chunkOf(unnamed) + chunkOf(unnamed, { index: 1, finishReason: 'STOP' });
    const ids = brief(decode(stream, parts({ choices: 2 }))).match(/call_gg\w+/g);
    expect([ids?.length, new Set(ids).size]).toEqual([2, 2]);
  });

  test("a call gets the client's tool name, and a custom call its free text", () => {
    const tools = new Map([
      ['ns_f', { type: 'function' as const, name: 'ns/f' }],
      ['py', { type: 'custom' as const, name: 'py' }],
    ]);
    const calls = [
      { functionCall: { id: 'a', name: 'ns_f', args: {} } },
      { functionCall: { id: 'b', name: 'py', args: { input: 'print("1")' } } },
    ];
    expect(folded(decode(chunkOf(calls), parts({ tools }))).parts).toEqual([
      { type: 'tool-call', id: 'a', name: 'ns/f', arguments: '{}' },
      { type: 'tool-call', id: 'b', name: 'py', custom: true, arguments: 'print("1")' },
    ]);
  });

  test('part indexes have no gaps, and an empty text starts no part (pitfall 16)', () => {
    const events = decode(chunkOf([{ text: '' }, { text: 'a' }, call, { text: 'b' }, { text: '' }]));
    expect(brief(events)).toBe(
      '0+text | 0 a | 0. | 1+tool-call a f | 1 {} | 1. | 2+text | 2 b | 2. | =tool-calls',
    );
  });
});

describe('citations', () => {
  const ending = (groundingChunks: object[], groundingSupports: object[]) => ({
    ...{ finishReason: 'STOP', groundingMetadata: { groundingChunks, groundingSupports } },
  });

  test.each<[string, string, object | null, object]>([
    ['a byte offset', '€ cold', { startIndex: 4, endIndex: 8, text: 'cold' }, { start: 2, end: 6 }],
    ['a surrogate pair', '😀 cold', { startIndex: 5, endIndex: 9 }, { start: 3, end: 7 }],
    ['a wrong offset', '€ cold', { startIndex: 0, endIndex: 4, text: 'cold' }, { start: 2, end: 6 }],
    ['a text that is not found', 'abc', { endIndex: 3, text: 'xyz' }, {}],
    ['no segment', 'abc', null, {}],
  ])(
    'with %s, a citation has its place in characters or cites the whole part',
    (_what, text, segment, place) => {
      const chunks = [{ web: { uri: 'u', title: 't' } }, { retrievedContext: {} }];
      const grounded = ending(chunks, [{ segment, groundingChunkIndices: [0, 1, 9] }]);
      const citations = [{ url: 'u', title: 't', ...place }];
      expect(folded(decode(chunkOf([{ text }], grounded))).parts).toEqual([
        { type: 'text', text, citations },
      ]);
    },
  );

  test('a citation of text before the last part cites the whole part', () => {
    const segments = [{ endIndex: 3 }, { startIndex: 3, endIndex: 6 }];
    const supports = segments.map(segment => ({ segment, groundingChunkIndices: [0] }));
    const content = [{ text: 'abc' }, { executableCode: { code: '1' } }, { text: 'def' }];
    const { parts: found } = folded(decode(chunkOf(content, ending([{ web: { uri: 'u' } }], supports))));
    expect(found.at(-1)).toMatchObject({
      citations: [
        { url: 'u', title: '' },
        { url: 'u', title: '', start: 0, end: 3 },
      ],
    });
  });
});
