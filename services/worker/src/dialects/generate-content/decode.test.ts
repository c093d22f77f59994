import { readFileSync } from 'node:fs';
import { AnswerFold, type GenerateAnswer, type GenerateEvent } from '@model-gateway/canonical';
import { generateContentFinishReasons } from '@model-gateway/wire';
import { describe, expect, test } from 'vitest';
import { decodeBody, StreamDecoder, type StreamTarget, WholeDecoder } from './decode.ts';
import type { CandidatesOptions } from './decode-candidates.ts';

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}.sse`, import.meta.url), 'utf8');
const parts = (options: Partial<CandidatesOptions> = {}): CandidatesOptions => ({
  tools: new Map(),
  seed: 'req_1',
  signedBefore: false,
  choices: 1,
  ...options,
});
const pieces = [1, 7, 1e9];

function decode(stream: string, target: StreamTarget = parts(), size = 1e9): GenerateEvent[] {
  const decoder = new StreamDecoder(target);
  const bytes = Buffer.from(stream);
  const events: GenerateEvent[] = [];
  for (let at = 0; at < bytes.length; at += size) events.push(...decoder.read(bytes.subarray(at, at + size)));
  return [...events, ...decoder.end()];
}

function fold(events: GenerateEvent[]): GenerateAnswer {
  const answer = new AnswerFold();
  const whole = events.map(event => answer.add(event)).at(-1);
  if (!whole) throw new Error(`no answer: ${JSON.stringify(events.at(-1))}`);
  return whole;
}

const shown = (events: GenerateEvent[]) =>
  Buffer.concat(events.flatMap(e => (e.type === 'verbatim' ? [e.bytes] : []))).toString();
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const says = (content: object[], more: object = {}) =>
  event({ candidates: [{ content: { role: 'model', parts: content }, ...more }] });
const stop = { finishReason: 'STOP' };
const own = (value: string) => ({ format: 'generate-content', value });
const made = expect.stringMatching(/^call_gg[0-9a-f]{24}$/);

describe.each(pieces)('read %i bytes at a time', size => {
  test('text', () => {
    expect(fold(decode(fixture('text'), parts(), size))).toMatchObject({
      start: { id: 'r4', model: 'gemini-x', usage: { input: 7, output: 0 } },
      parts: [{ type: 'text', text: '4 C in Žilina' }],
      finish: { reason: 'stop', raw: 'STOP', usage: { input: 7, output: 2 } },
    });
  });

  test('thoughts and a signed call, which is remembered where the reason does not tell of it (pitfalls 4, 9)', () => {
    const { parts: found, finish } = fold(decode(fixture('thoughts-call'), parts(), size));
    expect(found).toEqual([
      { type: 'reasoning', text: 'User wants weather.' },
      {
        type: 'tool-call',
        id: 'c1',
        name: 'weather',
        arguments: '{"city":"Oslo"}',
        signature: own('Q2lRQg=='),
      },
    ]);
    expect(finish).toMatchObject({
      reason: 'tool-calls',
      raw: 'STOP',
      usage: { input: 30, output: 20, reasoning: 12 },
    });
  });

  test('a client that has no place for it in a call finds the signature in the thoughts before', () => {
    const { parts: found } = fold(decode(fixture('thoughts-call'), parts({ signedBefore: true }), size));
    expect(found).toMatchObject([
      { type: 'reasoning', text: 'User wants weather.', signature: own('Q2lRQg==') },
      { type: 'tool-call', id: 'c1', signature: own('Q2lRQg==') },
    ]);
  });

  test('calls without ids are given unique ones, and numbers stay exact (pitfall 30)', () => {
    const { parts: found } = fold(decode(fixture('parallel-calls'), parts(), size));
    expect(found).toMatchObject([
      { id: made, name: 'weather', arguments: '{"city":"Oslo","id":12345678901234567890}', signature: {} },
      { id: made, name: 'weather', arguments: '{"city":"Rome"}' },
      { id: made, name: 'now', arguments: '{}' },
    ]);
    expect(found[1]).not.toHaveProperty('signature');
    expect(new Set(found.map(part => part.type === 'tool-call' && part.id)).size).toBe(3);
    expect(fold(decode(fixture('parallel-calls'))).parts).toEqual(found);
  });

  test('a signature that comes with no text is that of the text before it', () => {
    const end = decode(fixture('signed-text'), parts(), size).find(({ type }) => type === 'part-end');
    expect(end).toEqual({ type: 'part-end', index: 0, signature: own('U2lnbmVk') });
  });

  test('what only this format has is kept whole, and a picture is a picture', () => {
    const { parts: found, finish } = fold(decode(fixture('code-and-image'), parts(), size));
    expect(found).toEqual([
      {
        type: 'opaque',
        format: 'generate-content',
        value: { executableCode: { language: 'PYTHON', code: 'print(6*7)' } },
      },
      {
        type: 'opaque',
        format: 'generate-content',
        value: { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '42\n' } },
      },
      { type: 'text', text: 'It is 42.' },
      {
        type: 'media',
        kind: 'image',
        source: { type: 'base64', data: 'iVBORw0KGgo=' },
        mediaType: 'image/png',
      },
    ]);
    expect(finish.usage).toMatchObject({ input: 29, output: 12 });
  });

  test('sources are told by characters, not by bytes', () => {
    expect(fold(decode(fixture('grounded'), parts(), size)).parts).toEqual([
      {
        type: 'text',
        text: 'Žilina is cold. Oslo, too.',
        citations: [
          { url: 'https://w.example/1', title: 'W', start: 0, end: 15 },
          { url: 'https://w.example/1', title: 'W', start: 16, end: 26 },
          { url: 'https://w.example/2', title: '', start: 16, end: 26 },
          { url: 'https://w.example/3', title: 'Unused' },
        ],
      },
    ]);
  });

  test('a blocked prompt is filtered content', () => {
    expect(fold(decode(fixture('blocked-prompt'), parts(), size))).toMatchObject({
      start: { id: 'r3' },
      parts: [],
      finish: { reason: 'content-filter', raw: 'PROHIBITED_CONTENT', usage: { input: 9, output: 0 } },
    });
  });

  test('several candidates are choices, of which no more are shown than were asked for', () => {
    const stream = fixture('two-candidates');
    expect(fold(decode(stream, parts({ choices: 2 }), size))).toMatchObject({
      parts: [{ text: 'aA' }],
      finish: { reason: 'stop', usage: { input: 2, output: 4 } },
      more: [{ parts: [{ text: 'bB' }], end: { reason: 'length', raw: 'MAX_TOKENS' } }],
    });
    expect(fold(decode(stream, parts(), size))).not.toHaveProperty('more');
  });

  test('an error within the stream is one, and nothing follows (pitfall 20)', () => {
    const events = decode(fixture('error-mid-stream') + says([{ text: 'x' }], stop), parts(), size);
    expect(events.map(({ type }) => type)).toEqual(['start', 'part-start', 'part-delta', 'error']);
    expect(events.at(-1)).toMatchObject({ kind: 'overloaded', message: 'The model is overloaded' });
  });

  test.each(['', '\n'])('an error that is no event is found', before => {
    const error = { error: { code: 503, message: 'Try later.', status: 'UNAVAILABLE' } };
    const bare = before + JSON.stringify(error, null, 2);
    for (const target of [parts(), { verbatim: true } as const])
      expect(decode(fixture('truncated') + bare, target, size).at(-1)).toMatchObject({
        type: 'error',
        kind: 'overloaded',
        message: 'Try later.',
      });
  });

  test('a cut stream is an error (pitfall 21)', () => {
    const early = { type: 'error', kind: 'upstream', message: 'The upstream ended its answer too early.' };
    for (const target of [parts(), { verbatim: true } as const]) {
      expect(decode(fixture('truncated'), target, size).at(-1)).toMatchObject(early);
      expect(decode(fixture('text').slice(0, -30), target, size).at(-1)).toMatchObject(early);
      expect(decode('', target, size)).toMatchObject([early]);
    }
  });

  test.each([
    'text',
    'thoughts-call',
    'parallel-calls',
    'signed-text',
    'code-and-image',
    'grounded',
    'blocked-prompt',
    'two-candidates',
  ])('%s passes verbatim, and tells as much of its end', name => {
    const stream = fixture(name);
    const events = decode(stream, { verbatim: true }, size);
    expect(shown(events)).toBe(stream);
    expect(events.filter(e => e.type !== 'verbatim')).toEqual([decode(stream).at(-1)]);
  });

  test('an error ends a verbatim stream after what was good', () => {
    const stream = fixture('error-mid-stream');
    const events = decode(stream, { verbatim: true }, size);
    expect(shown(events)).toBe(stream.slice(0, stream.indexOf('data: {"error"')));
    expect(events.at(-1)).toMatchObject({ type: 'error', kind: 'overloaded' });
  });
});

describe('what compatible upstreams add', () => {
  const good = says([{ text: 'a' }], stop);

  test.each([
    ['a comment', `: ping\n\n${good}`],
    ['a name', `event: message\n${good}`],
    ['no space before the data', good.replace('data: ', 'data:')],
    ['the end mark of another format', `${good}data: [DONE]\n\n`],
    ['an empty event', `data:\n\n${good}`],
  ])('%s is nothing, and no client sees it', (_, stream) => {
    const events = decode(stream, { verbatim: true });
    expect(shown(events)).toBe(good);
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
    expect(fold(decode(stream)).parts).toMatchObject([{ text: 'a' }]);
  });

  test('data on several lines comes on one, and lines may end in CR LF', () => {
    expect(shown(decode(good.replace('{', '{\ndata: '), { verbatim: true }))).toBe(good.replace('{', '{ '));
    const stream = good.replaceAll('\n', '\r\n');
    expect(shown(decode(stream, { verbatim: true }))).toBe(stream);
  });

  test('a reason that is not specified is none', () => {
    const goesOn = says([{ text: 'a' }], { finishReason: 'FINISH_REASON_UNSPECIFIED' });
    expect(decode(goesOn + good).at(-1)).toMatchObject({ type: 'finish', raw: 'STOP' });
    expect(decode(goesOn).at(-1)).toMatchObject({ type: 'error' });
  });
});

const expected: Record<string, string> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  OTHER: 'other',
  MALFORMED_FUNCTION_CALL: 'other',
  UNEXPECTED_TOOL_CALL: 'other',
  TOO_MANY_TOOL_CALLS: 'other',
  MALFORMED_RESPONSE: 'other',
  MISSING_THOUGHT_SIGNATURE: 'other',
};

describe('the end', () => {
  test.each([...generateContentFinishReasons, 'BRAND_NEW'])('of a text by %s', raw => {
    const reason = raw === 'BRAND_NEW' ? 'other' : (expected[raw] ?? 'content-filter');
    expect(decode(says([{ text: 'x' }], { finishReason: raw })).at(-1)).toMatchObject({
      type: 'finish',
      reason,
      raw,
    });
  });

  test.each(['OTHER', 'MALFORMED_FUNCTION_CALL', 'MISSING_THOUGHT_SIGNATURE', 'BRAND_NEW'])(
    'of nothing by %s is a failure, not an empty success',
    raw => {
      const stream = event({ candidates: [{ finishReason: raw }] });
      expect(decode(stream)).toMatchObject([{ type: 'error', kind: 'upstream' }]);
      // In its own format a client is told the same as by the vendor.
      expect(decode(stream, { verbatim: true }).at(-1)).toMatchObject({
        type: 'finish',
        reason: 'other',
        raw,
      });
    },
  );

  test.each([
    ['STOP', 'stop'],
    ['SAFETY', 'content-filter'],
    ['MAX_TOKENS', 'length'],
  ])('of nothing by %s is one', (finishReason, reason) => {
    const stream = event({ candidates: [{ content: { role: 'model' }, finishReason }] });
    expect(fold(decode(stream))).toMatchObject({ parts: [], finish: { reason } });
  });

  test.each(['MAX_TOKENS', 'SAFETY', 'OTHER'])(
    'of a call by %s does not ask for the call (pitfall 10)',
    raw => {
      const call = [{ functionCall: { name: 'f', args: {} } }];
      expect(decode(says(call, { finishReason: raw })).at(-1)).toMatchObject({
        reason: expected[raw] ?? 'content-filter',
      });
    },
  );

  test('says why an answer was held back', () => {
    const why = { finishReason: 'SAFETY', finishMessage: 'Too dangerous.' };
    expect(decode(event({ candidates: [why] })).at(-1)).toMatchObject({ explanation: 'Too dangerous.' });
  });

  test('is known before the upstream ends', () => {
    const decoder = new StreamDecoder(parts({ choices: 2 }));
    decoder.read(Buffer.from(says([{ text: 'a' }], stop)));
    expect(decoder.complete).toBe(false);
    decoder.read(Buffer.from(says([{ text: 'b' }], { index: 1, ...stop })));
    expect(decoder.complete).toBe(true);
    decoder.read(Buffer.from('data: {'));
    expect(decoder.complete).toBe(false);
  });

  test('of fewer candidates than were asked for is one', () => {
    expect(decode(says([{ text: 'a' }], stop), parts({ choices: 2 })).at(-1)).toMatchObject({
      type: 'finish',
    });
  });
});

describe('parts', () => {
  test('texts on either side of a signature stay apart', () => {
    const stream = says([{ text: 'a', thoughtSignature: 'S' }]) + says([{ text: 'b' }], stop);
    const events = decode(stream);
    expect(fold(events).parts).toMatchObject([{ text: 'a' }, { text: 'b' }]);
    expect(events.filter(({ type }) => type === 'part-end')).toEqual([
      { type: 'part-end', index: 0, signature: own('S') },
      { type: 'part-end', index: 1 },
    ]);
  });

  test('thoughts may stand anywhere (pitfall 19)', () => {
    const hm = { text: 'Hm.', thought: true };
    const call = { functionCall: { id: 'a', name: 'f', args: {} } };
    expect(fold(decode(says([{ text: 'a' }, hm, { text: 'b' }, call, hm], stop))).parts).toMatchObject([
      { type: 'text', text: 'a' },
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'b' },
      { type: 'tool-call', id: 'a' },
      { type: 'reasoning', text: 'Hm.' },
    ]);
  });

  test('a signature after a call, or alone, is kept by reasoning without text', () => {
    const call = { functionCall: { id: 'a', name: 'f', args: {} } };
    for (const alone of [{ text: '', thoughtSignature: 'S' }, { thoughtSignature: 'S' }])
      expect(fold(decode(says([call]) + says([alone], stop))).parts).toMatchObject([
        { type: 'tool-call' },
        { type: 'reasoning', text: '', signature: own('S') },
      ]);
  });

  test('a picture that is a thought is no part of the answer', () => {
    const draft = { inlineData: { mimeType: 'image/png', data: 'iVBO' }, thought: true };
    expect(fold(decode(says([draft, { text: 'a' }], stop))).parts).toEqual([{ type: 'text', text: 'a' }]);
  });

  test('a signature that is that of a picture is its own', () => {
    const picture = { inlineData: { mimeType: 'image/png', data: 'iVBO' }, thoughtSignature: 'S' };
    const events = decode(says([{ text: 'a' }, picture], stop));
    expect(events.filter(({ type }) => type === 'part-end')).toEqual([
      { type: 'part-end', index: 0 },
      { type: 'part-end', index: 1, signature: own('S') },
    ]);
  });

  test.each([
    ['audio/pcm;rate=24000', 'audio'],
    ['image/png', 'image'],
    ['application/pdf', 'document'],
  ])('%s is %s', (mimeType, kind) => {
    const media = { inlineData: { mimeType, data: 'AAAA' } };
    expect(fold(decode(says([media], stop))).parts).toMatchObject([
      { type: 'media', kind, mediaType: mimeType },
    ]);
  });

  test('an id that was given twice is made another (pitfall 30)', () => {
    const call = { functionCall: { id: '0', name: 'f', args: {} } };
    const ids = fold(decode(says([call, call], stop))).parts.map(
      part => part.type === 'tool-call' && part.id,
    );
    expect(ids).toEqual(['0', made]);
  });

  test('choices have ids of their own', () => {
    const call = [{ functionCall: { name: 'f' } }];
    const stream = says(call, stop) + says(call, { index: 1, ...stop });
    const ids = decode(stream, parts({ choices: 2 })).flatMap(e =>
      e.type === 'part-start' && e.part.type === 'tool-call' ? [e.part.id] : [],
    );
    expect(new Set(ids).size).toBe(2);
  });

  test("a tool has the client's name, and a custom one its free text", () => {
    const tools = new Map([
      ['ns_f', { type: 'function' as const, name: 'ns/f' }],
      ['py', { type: 'custom' as const, name: 'py' }],
    ]);
    const calls = [
      { functionCall: { id: 'a', name: 'ns_f', args: {} } },
      { functionCall: { id: 'b', name: 'py', args: { input: 'print("1")' } } },
    ];
    expect(fold(decode(says(calls, stop), parts({ tools }))).parts).toEqual([
      { type: 'tool-call', id: 'a', name: 'ns/f', arguments: '{}' },
      { type: 'tool-call', id: 'b', name: 'py', custom: true, arguments: 'print("1")' },
    ]);
  });

  test('a call without a name is refused', () => {
    expect(decode(says([{ functionCall: { args: {} } }], stop)).at(-1)).toMatchObject({ kind: 'upstream' });
  });

  test('numbers have no gap, and nothing is begun for an empty text (pitfall 16)', () => {
    const call = { functionCall: { id: 'a', name: 'f', args: {} } };
    const events = decode(says([{ text: '' }, { text: 'a' }, call, { text: 'b' }, { text: '' }], stop));
    expect(events.flatMap(e => (e.type === 'part-start' ? [e.index] : []))).toEqual([0, 1, 2]);
  });
});

describe('sources', () => {
  const grounded = (text: string, segment: object | null) =>
    fold(
      decode(
        says([{ text }], {
          ...stop,
          groundingMetadata: {
            groundingChunks: [{ web: { uri: 'u', title: 't' } }, { retrievedContext: {} }],
            groundingSupports: [{ segment, groundingChunkIndices: [0, 1, 9] }],
          },
        }),
      ),
    ).parts;

  test.each([
    ['bytes count', '€ cold', { startIndex: 4, endIndex: 8, text: 'cold' }, { start: 2, end: 6 }],
    ['a surrogate pair is two characters', '😀 cold', { startIndex: 5, endIndex: 9 }, { start: 3, end: 7 }],
    [
      'words are found where the count misleads',
      '€ cold',
      { startIndex: 0, endIndex: 4, text: 'cold' },
      { start: 2, end: 6 },
    ],
    ['words that are not there are all of it', 'abc', { endIndex: 3, text: 'xyz' }, {}],
    ['no place is all of it', 'abc', null, {}],
  ])('%s', (_what, text, segment, place) => {
    expect(grounded(text, segment)).toEqual([
      { type: 'text', text, citations: [{ url: 'u', title: 't', ...place }] },
    ]);
  });

  test('of what stands before another part are of all of it', () => {
    const code = { executableCode: { code: '1' } };
    const metadata = {
      groundingChunks: [{ web: { uri: 'u' } }],
      groundingSupports: [
        { segment: { endIndex: 3 }, groundingChunkIndices: [0] },
        { segment: { startIndex: 3, endIndex: 6 }, groundingChunkIndices: [0] },
      ],
    };
    const stream = says([{ text: 'abc' }, code, { text: 'def' }], { ...stop, groundingMetadata: metadata });
    expect(fold(decode(stream)).parts.at(-1)).toMatchObject({
      citations: [
        { url: 'u', title: '' },
        { url: 'u', title: '', start: 0, end: 3 },
      ],
    });
  });
});

describe('usage', () => {
  const ends = (usageMetadata: object) =>
    decode(says([{ text: 'x' }], stop) + event({ usageMetadata })).at(-1);

  test('counts thoughts as output, and what tools gave as input', () => {
    const raw = {
      promptTokenCount: 950,
      cachedContentTokenCount: 800,
      candidatesTokenCount: 30,
      thoughtsTokenCount: 40,
      toolUsePromptTokenCount: 5,
      totalTokenCount: 1025,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 900 },
        { modality: 'AUDIO', tokenCount: 32 },
        { modality: 'IMAGE', tokenCount: 18 },
      ],
      candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 7 }, { modality: 'TEXT' }],
    };
    expect(ends(raw)).toMatchObject({
      usage: {
        input: 955,
        cachedInput: 800,
        cacheWrite5m: 0,
        cacheWrite1h: 0,
        audioInput: 32,
        imageInput: 18,
        output: 70,
        reasoning: 40,
        audioOutput: 7,
        raw,
      },
    });
  });

  test('of later chunks replaces earlier counts, and what they leave out stays', () => {
    const stream =
      event({ usageMetadata: { promptTokenCount: 9, cachedContentTokenCount: 4, candidatesTokenCount: 1 } }) +
      says([{ text: 'x' }], stop) +
      event({
        usageMetadata: { cachedContentTokenCount: null, candidatesTokenCount: 3, thoughtsTokenCount: 2 },
      });
    expect(decode(stream).at(-1)).toMatchObject({
      usage: { input: 9, cachedInput: 4, output: 5, reasoning: 2 },
    });
  });

  test('is null where nothing is told', () => {
    expect(decode(says([{ text: 'x' }], stop)).at(-1)).toMatchObject({ usage: null });
  });

  test.each([parts(), { verbatim: true } as const])(
    'so far, and how much text, are known at any time',
    target => {
      const decoder = new StreamDecoder(target);
      expect([decoder.usage, decoder.characters]).toEqual([null, 0]);
      decoder.read(Buffer.from(fixture('thoughts-call')));
      expect(decoder.usage).toMatchObject({ input: 30, output: 20 });
      expect(decoder.characters).toBe('User wants weather.'.length + '{"city":"Oslo"}'.length);
    },
  );
});

describe('what is broken', () => {
  test.each([
    ['no JSON', 'data: {"candidates":\n\n'],
    ['candidates that are none', event({ candidates: 'x' })],
    ['text that is none', says([{ text: 5 }])],
  ])('%s', (_what, stream) => {
    expect(decode(stream)).toMatchObject([{ type: 'error', kind: 'upstream' }]);
  });

  test('an error may come in a list', () => {
    const error = { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Slow down.' } };
    expect(decode(event([error]))).toMatchObject([{ kind: 'rate-limited', message: 'Slow down.' }]);
  });
});

describe('a whole answer', () => {
  const whole = (body: unknown) => {
    const decoder = new WholeDecoder();
    const bytes = Buffer.from(JSON.stringify(body));
    decoder.read(bytes.subarray(0, 5));
    decoder.read(bytes.subarray(5));
    return { events: decoder.end(), text: bytes.toString() };
  };
  const good = {
    candidates: [
      {
        content: {
          role: 'model',
          parts: [{ text: 'Plan.', thought: true }, { functionCall: { name: 'f' } }],
        },
        finishReason: 'STOP',
        avgLogprobs: -0.1,
      },
    ],
    usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 8, thoughtsTokenCount: 20 },
    modelVersion: 'gemini-x',
    responseId: 'r1',
  };

  test('passes byte for byte, and tells how it ended', () => {
    const { events, text } = whole(good);
    expect(shown(events)).toBe(text);
    expect(events[0]).toMatchObject({
      whole: { status: 200, mediaType: 'application/json', length: Buffer.byteLength(text) },
    });
    expect(events[1]).toMatchObject({ reason: 'tool-calls', raw: 'STOP', usage: { input: 30, output: 28 } });
  });

  test('may be a blocked prompt, or a count of tokens', () => {
    expect(
      whole({ promptFeedback: { blockReason: 'SAFETY', blockReasonMessage: 'No.' } }).events[1],
    ).toMatchObject({
      reason: 'content-filter',
      raw: 'SAFETY',
      explanation: 'No.',
    });
    expect(whole({ totalTokens: 31 }).events[1]).toEqual({
      type: 'finish',
      reason: 'stop',
      raw: null,
      usage: null,
    });
  });

  test.each([
    ['an error', { error: { code: 503, status: 'UNAVAILABLE', message: 'm' } }, 'overloaded'],
    ['nothing of the kind', { hello: 1 }, 'upstream'],
    ['usage alone', { usageMetadata: {} }, 'upstream'],
    [
      'an answer without a reason to end',
      { candidates: [{ content: { parts: [{ text: 'x' }] } }] },
      'upstream',
    ],
    ['a list', [], 'upstream'],
  ])('is not %s', (_what, body, kind) => {
    expect(whole(body).events).toMatchObject([{ type: 'error', kind }]);
  });

  const body = (value: unknown) => decodeBody(Buffer.from(JSON.stringify(value)), parts());

  test('where a stream was asked for has the events of one', () => {
    expect(fold(body(good) ?? [])).toMatchObject({
      start: { id: 'r1', model: 'gemini-x' },
      parts: [
        { type: 'reasoning', text: 'Plan.' },
        { type: 'tool-call', id: made, arguments: '{}' },
      ],
      finish: { reason: 'tool-calls', usage: { output: 28 } },
    });
  });

  test('may come as an array of chunks', () => {
    const chunks = fixture('text')
      .split(/\r\n\r\n/)
      .filter(Boolean)
      .map(frame => JSON.parse(frame.slice(6)));
    expect(fold(body(chunks) ?? [])).toMatchObject({ parts: [{ text: '4 C in Žilina' }] });
    expect(body(chunks.slice(0, 1))?.at(-1)).toMatchObject({ type: 'error', kind: 'upstream' });
    expect(body([chunks[0], { error: { code: 500, message: 'm' } }])?.at(-1)).toMatchObject({ message: 'm' });
  });

  test.each([[{ error: { code: 400 } }], [[{ error: { code: 400 } }]], [{}], ['x'], [null], [[]]])(
    '%j is none',
    value => expect(body(value)).toBeUndefined(),
  );
});
