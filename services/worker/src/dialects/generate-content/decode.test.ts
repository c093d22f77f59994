import { describe, expect, test } from 'vitest';
import {
  chunkOf,
  decode,
  event,
  example,
  fold,
  generatedId,
  parts,
  passedText,
  signed,
  stop,
} from '../../testing/generate-content-stream.ts';
import { decodeBody, WholeDecoder } from './decode.ts';

const pieces = [1, 7, 1e9];

describe.each(pieces)('a generateContent stream read %i bytes at a time', size => {
  test('a text response becomes one text part', () => {
    expect(fold(decode(example('text'), parts(), size))).toMatchObject({
      start: { id: 'r4', model: 'gemini-x', usage: { input: 7, output: 0 } },
      parts: [{ type: 'text', text: '4 C in Žilina' }],
      finish: { reason: 'stop', raw: 'STOP', usage: { input: 7, output: 2 } },
    });
  });

  test('a signed call keeps its signature, and STOP becomes tool-calls (pitfalls 4, 9)', () => {
    const { parts: found, finish } = fold(decode(example('thoughts-call'), parts(), size));
    expect(found).toEqual([
      { type: 'reasoning', text: 'User wants weather.' },
      {
        type: 'tool-call',
        id: 'c1',
        name: 'weather',
        arguments: '{"city":"Oslo"}',
        signature: signed('Q2lRQg=='),
      },
    ]);
    expect(finish).toMatchObject({
      reason: 'tool-calls',
      raw: 'STOP',
      usage: { input: 30, output: 20, reasoning: 12 },
    });
  });

  test('reasoning before a call carries its signature if the client format needs it there', () => {
    const { parts: found } = fold(decode(example('thoughts-call'), parts({ signedBefore: true }), size));
    expect(found).toMatchObject([
      { type: 'reasoning', text: 'User wants weather.', signature: signed('Q2lRQg==') },
      { type: 'tool-call', id: 'c1', signature: signed('Q2lRQg==') },
    ]);
  });

  test('calls without ids get unique ids, and numbers stay exact (pitfall 30)', () => {
    const { parts: found } = fold(decode(example('parallel-calls'), parts(), size));
    expect(found).toMatchObject([
      {
        id: generatedId,
        name: 'weather',
        arguments: '{"city":"Oslo","id":12345678901234567890}',
        signature: {},
      },
      { id: generatedId, name: 'weather', arguments: '{"city":"Rome"}' },
      { id: generatedId, name: 'now', arguments: '{}' },
    ]);
    expect(found[1]).not.toHaveProperty('signature');
    expect(new Set(found.map(part => part.type === 'tool-call' && part.id)).size).toBe(3);
    expect(fold(decode(example('parallel-calls'))).parts).toEqual(found);
  });

  test('a signature without text belongs to the text before it', () => {
    const end = decode(example('signed-text'), parts(), size).find(({ type }) => type === 'part-end');
    expect(end).toEqual({ type: 'part-end', index: 0, signature: signed('U2lnbmVk') });
  });

  test('code parts become opaque parts, and an image becomes a media part', () => {
    const { parts: found, finish } = fold(decode(example('code-and-image'), parts(), size));
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

  test('byte offsets of sources become character offsets of citations', () => {
    expect(fold(decode(example('grounded'), parts(), size)).parts).toEqual([
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

  test('a blocked prompt finishes with content-filter', () => {
    expect(fold(decode(example('blocked-prompt'), parts(), size))).toMatchObject({
      start: { id: 'r3' },
      parts: [],
      finish: { reason: 'content-filter', raw: 'PROHIBITED_CONTENT', usage: { input: 9, output: 0 } },
    });
  });

  test('candidates become choices, and those beyond the requested number are dropped', () => {
    const stream = example('two-candidates');
    expect(fold(decode(stream, parts({ choices: 2 }), size))).toMatchObject({
      parts: [{ text: 'aA' }],
      finish: { reason: 'stop', usage: { input: 2, output: 4 } },
      more: [{ parts: [{ text: 'bB' }], end: { reason: 'length', raw: 'MAX_TOKENS' } }],
    });
    expect(fold(decode(stream, parts(), size))).not.toHaveProperty('more');
  });

  test('an error chunk ends the stream with an error (pitfall 20)', () => {
    const events = decode(example('error-mid-stream') + chunkOf([{ text: 'x' }], stop), parts(), size);
    expect(events.map(({ type }) => type)).toEqual(['start', 'part-start', 'part-delta', 'error']);
    expect(events.at(-1)).toMatchObject({ kind: 'overloaded', message: 'The model is overloaded' });
  });

  test.each(['', '\n'])('an error body outside of an event ends the stream with that error', before => {
    const error = { error: { code: 503, message: 'Try later.', status: 'UNAVAILABLE' } };
    const bare = before + JSON.stringify(error, null, 2);
    for (const target of [parts(), { verbatim: true } as const])
      expect(decode(example('truncated') + bare, target, size).at(-1)).toMatchObject({
        type: 'error',
        kind: 'overloaded',
        message: 'Try later.',
      });
  });

  test('a stream that is cut off ends with an error (pitfall 21)', () => {
    const early = { type: 'error', kind: 'upstream', message: 'The upstream ended its answer too early.' };
    for (const target of [parts(), { verbatim: true } as const]) {
      expect(decode(example('truncated'), target, size).at(-1)).toMatchObject(early);
      expect(decode(example('text').slice(0, -30), target, size).at(-1)).toMatchObject(early);
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
  ])('%s passes verbatim with the same finish event as in translation', name => {
    const stream = example(name);
    const events = decode(stream, { verbatim: true }, size);
    expect(passedText(events)).toBe(stream);
    expect(events.filter(e => e.type !== 'verbatim')).toEqual([decode(stream).at(-1)]);
  });

  test('a verbatim stream with an error chunk passes the chunks before the error', () => {
    const stream = example('error-mid-stream');
    const events = decode(stream, { verbatim: true }, size);
    expect(passedText(events)).toBe(stream.slice(0, stream.indexOf('data: {"error"')));
    expect(events.at(-1)).toMatchObject({ type: 'error', kind: 'overloaded' });
  });
});

describe('additions of compatible upstreams', () => {
  const good = chunkOf([{ text: 'a' }], stop);

  test.each([
    ['a comment', `: ping\n\n${good}`],
    ['a name', `event: message\n${good}`],
    ['no space before the data', good.replace('data: ', 'data:')],
    ['the end mark of another format', `${good}data: [DONE]\n\n`],
    ['an empty event', `data:\n\n${good}`],
  ])('%s is ignored and not sent to the client', (_, stream) => {
    const events = decode(stream, { verbatim: true });
    expect(passedText(events)).toBe(good);
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
    expect(fold(decode(stream)).parts).toMatchObject([{ text: 'a' }]);
  });

  test('data on several lines is sent on one line, and CR LF line ends pass unchanged', () => {
    expect(passedText(decode(good.replace('{', '{\ndata: '), { verbatim: true }))).toBe(
      good.replace('{', '{ '),
    );
    const stream = good.replaceAll('\n', '\r\n');
    expect(passedText(decode(stream, { verbatim: true }))).toBe(stream);
  });

  test('FINISH_REASON_UNSPECIFIED does not end the stream', () => {
    const unfinished = chunkOf([{ text: 'a' }], { finishReason: 'FINISH_REASON_UNSPECIFIED' });
    expect(decode(unfinished + good).at(-1)).toMatchObject({ type: 'finish', raw: 'STOP' });
    expect(decode(unfinished).at(-1)).toMatchObject({ type: 'error' });
  });
});

describe('malformed chunks', () => {
  test.each([
    ['invalid JSON', 'data: {"candidates":\n\n'],
    ['candidates that are not a list', event({ candidates: 'x' })],
    ['text that is not a string', chunkOf([{ text: 5 }])],
  ])('%s is an upstream error', (_what, stream) => {
    expect(decode(stream)).toMatchObject([{ type: 'error', kind: 'upstream' }]);
  });

  test('an error in a list of one is read', () => {
    const error = { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Slow down.' } };
    expect(decode(event([error]))).toMatchObject([{ kind: 'rate-limited', message: 'Slow down.' }]);
  });
});

describe('a non-streamed response', () => {
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

  test('a non-streamed response passes unchanged, with its finish reason and usage', () => {
    const { events, text } = whole(good);
    expect(passedText(events)).toBe(text);
    expect(events[0]).toMatchObject({
      whole: { status: 200, mediaType: 'application/json', length: Buffer.byteLength(text) },
    });
    expect(events[1]).toMatchObject({ reason: 'tool-calls', raw: 'STOP', usage: { input: 30, output: 28 } });
  });

  test('a blocked prompt and a token count are valid non-streamed responses', () => {
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
    ['an unrelated object', { hello: 1 }, 'upstream'],
    ['usage alone', { usageMetadata: {} }, 'upstream'],
    [
      'a response without a finish reason',
      { candidates: [{ content: { parts: [{ text: 'x' }] } }] },
      'upstream',
    ],
    ['a list', [], 'upstream'],
  ])('%s in place of a response is an error', (_what, body, kind) => {
    expect(whole(body).events).toMatchObject([{ type: 'error', kind }]);
  });

  const body = (value: unknown) => decodeBody(Buffer.from(JSON.stringify(value)), parts());

  test('a non-streamed response to a stream request becomes stream events', () => {
    expect(fold(body(good) ?? [])).toMatchObject({
      start: { id: 'r1', model: 'gemini-x' },
      parts: [
        { type: 'reasoning', text: 'Plan.' },
        { type: 'tool-call', id: generatedId, arguments: '{}' },
      ],
      finish: { reason: 'tool-calls', usage: { output: 28 } },
    });
  });

  test('an array of chunks becomes stream events', () => {
    const chunks = example('text')
      .split(/\r\n\r\n/)
      .filter(Boolean)
      .map(frame => JSON.parse(frame.slice(6)));
    expect(fold(body(chunks) ?? [])).toMatchObject({ parts: [{ text: '4 C in Žilina' }] });
    expect(body(chunks.slice(0, 1))?.at(-1)).toMatchObject({ type: 'error', kind: 'upstream' });
    expect(body([chunks[0], { error: { code: 500, message: 'm' } }])?.at(-1)).toMatchObject({ message: 'm' });
  });

  test.each([[{ error: { code: 400 } }], [[{ error: { code: 400 } }]], [{}], ['x'], [null], [[]]])(
    '%j is not decoded as a response',
    value => expect(body(value)).toBeUndefined(),
  );
});
