import { describe, expect, test } from 'vitest';
import {
  chunkOf,
  decode,
  fold,
  generatedId,
  parts,
  signed,
  stop,
} from '../../testing/generate-content-stream.ts';

describe('parts', () => {
  test('texts before and after a signature are separate parts', () => {
    const stream = chunkOf([{ text: 'a', thoughtSignature: 'S' }]) + chunkOf([{ text: 'b' }], stop);
    const events = decode(stream);
    expect(fold(events).parts).toMatchObject([{ text: 'a' }, { text: 'b' }]);
    expect(events.filter(({ type }) => type === 'part-end')).toEqual([
      { type: 'part-end', index: 0, signature: signed('S') },
      { type: 'part-end', index: 1 },
    ]);
  });

  test('reasoning keeps its position between other parts (pitfall 19)', () => {
    const hm = { text: 'Hm.', thought: true };
    const call = { functionCall: { id: 'a', name: 'f', args: {} } };
    expect(fold(decode(chunkOf([{ text: 'a' }, hm, { text: 'b' }, call, hm], stop))).parts).toMatchObject([
      { type: 'text', text: 'a' },
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'b' },
      { type: 'tool-call', id: 'a' },
      { type: 'reasoning', text: 'Hm.' },
    ]);
  });

  test('a signature after a call becomes reasoning without text', () => {
    const call = { functionCall: { id: 'a', name: 'f', args: {} } };
    for (const alone of [{ text: '', thoughtSignature: 'S' }, { thoughtSignature: 'S' }])
      expect(fold(decode(chunkOf([call]) + chunkOf([alone], stop))).parts).toMatchObject([
        { type: 'tool-call' },
        { type: 'reasoning', text: '', signature: signed('S') },
      ]);
  });

  test('an image within reasoning is dropped', () => {
    const draft = { inlineData: { mimeType: 'image/png', data: 'iVBO' }, thought: true };
    expect(fold(decode(chunkOf([draft, { text: 'a' }], stop))).parts).toEqual([{ type: 'text', text: 'a' }]);
  });

  test('a signature of an image stays on the image', () => {
    const picture = { inlineData: { mimeType: 'image/png', data: 'iVBO' }, thoughtSignature: 'S' };
    const events = decode(chunkOf([{ text: 'a' }, picture], stop));
    expect(events.filter(({ type }) => type === 'part-end')).toEqual([
      { type: 'part-end', index: 0 },
      { type: 'part-end', index: 1, signature: signed('S') },
    ]);
  });

  test.each([
    ['audio/pcm;rate=24000', 'audio'],
    ['image/png', 'image'],
    ['application/pdf', 'document'],
  ])('inline data of type %s becomes media of kind %s', (mimeType, kind) => {
    const media = { inlineData: { mimeType, data: 'AAAA' } };
    expect(fold(decode(chunkOf([media], stop))).parts).toMatchObject([
      { type: 'media', kind, mediaType: mimeType },
    ]);
  });

  test('a repeated call id is replaced by a generated id (pitfall 30)', () => {
    const call = { functionCall: { id: '0', name: 'f', args: {} } };
    const ids = fold(decode(chunkOf([call, call], stop))).parts.map(
      part => part.type === 'tool-call' && part.id,
    );
    expect(ids).toEqual(['0', generatedId]);
  });

  test('generated call ids are unique across choices', () => {
    const call = [{ functionCall: { name: 'f' } }];
    const stream = chunkOf(call, stop) + chunkOf(call, { index: 1, ...stop });
    const ids = decode(stream, parts({ choices: 2 })).flatMap(e =>
      e.type === 'part-start' && e.part.type === 'tool-call' ? [e.part.id] : [],
    );
    expect(new Set(ids).size).toBe(2);
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
    expect(fold(decode(chunkOf(calls, stop), parts({ tools }))).parts).toEqual([
      { type: 'tool-call', id: 'a', name: 'ns/f', arguments: '{}' },
      { type: 'tool-call', id: 'b', name: 'py', custom: true, arguments: 'print("1")' },
    ]);
  });

  test('a call without a name is an upstream error', () => {
    expect(decode(chunkOf([{ functionCall: { args: {} } }], stop)).at(-1)).toMatchObject({
      kind: 'upstream',
    });
  });

  test('part indexes have no gaps, and an empty text starts no part (pitfall 16)', () => {
    const call = { functionCall: { id: 'a', name: 'f', args: {} } };
    const events = decode(chunkOf([{ text: '' }, { text: 'a' }, call, { text: 'b' }, { text: '' }], stop));
    expect(events.flatMap(e => (e.type === 'part-start' ? [e.index] : []))).toEqual([0, 1, 2]);
  });
});

describe('citations', () => {
  const grounded = (text: string, segment: object | null) =>
    fold(
      decode(
        chunkOf([{ text }], {
          ...stop,
          groundingMetadata: {
            groundingChunks: [{ web: { uri: 'u', title: 't' } }, { retrievedContext: {} }],
            groundingSupports: [{ segment, groundingChunkIndices: [0, 1, 9] }],
          },
        }),
      ),
    ).parts;

  test.each([
    [
      'a byte offset becomes a character offset',
      '€ cold',
      { startIndex: 4, endIndex: 8, text: 'cold' },
      { start: 2, end: 6 },
    ],
    [
      'a surrogate pair counts as two characters',
      '😀 cold',
      { startIndex: 5, endIndex: 9 },
      { start: 3, end: 7 },
    ],
    [
      'a wrong offset falls back to a search for the text',
      '€ cold',
      { startIndex: 0, endIndex: 4, text: 'cold' },
      { start: 2, end: 6 },
    ],
    ['a text that is not found cites the whole part', 'abc', { endIndex: 3, text: 'xyz' }, {}],
    ['a support without a segment cites the whole part', 'abc', null, {}],
  ])('%s', (_what, text, segment, place) => {
    expect(grounded(text, segment)).toEqual([
      { type: 'text', text, citations: [{ url: 'u', title: 't', ...place }] },
    ]);
  });

  test('a citation of text before the last part cites the whole part', () => {
    const code = { executableCode: { code: '1' } };
    const metadata = {
      groundingChunks: [{ web: { uri: 'u' } }],
      groundingSupports: [
        { segment: { endIndex: 3 }, groundingChunkIndices: [0] },
        { segment: { startIndex: 3, endIndex: 6 }, groundingChunkIndices: [0] },
      ],
    };
    const stream = chunkOf([{ text: 'abc' }, code, { text: 'def' }], {
      ...stop,
      groundingMetadata: metadata,
    });
    expect(fold(decode(stream)).parts.at(-1)).toMatchObject({
      citations: [
        { url: 'u', title: '' },
        { url: 'u', title: '', start: 0, end: 3 },
      ],
    });
  });
});
