import { brief, folded, passed, readAll } from '@model-gateway/canonical/testing/events';
import { signed, thought } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { example as exampleOf } from '../testing/examples.ts';
import { sse, testFixtures } from '../testing/fixtures.ts';
import { chunkOf, decode, event, parts } from '../testing/generate-content-stream.ts';
import { decodeBody, WholeDecoder } from './decode.ts';
import type { KnownTool } from './encode-tools.ts';

const example = (name: string) => exampleOf('generate-content', name);
const generatedId = expect.stringMatching(/^call_gg[0-9a-f]{24}$/);
type Sent = { chunks: object[]; options?: { choices?: number; tools?: [string, KnownTool][] } };
testFixtures(import.meta.dirname, 'decode', ({ chunks, options: { tools, ...more } = {} }: Sent) =>
  decode(sse(chunks), parts({ ...more, tools: new Map(tools) })),
);

const verbatim = { verbatim: true } as const;

describe('example streams', () => {
  test('a signed call keeps its signature, and STOP becomes tool-calls (pitfalls 4, 9)', () => {
    const own = signed('Q2lRQg==', 'generate-content');
    const oslo = { type: 'tool-call', id: 'c1', name: 'weather', arguments: '{"city":"Oslo"}', ...own };
    const answer = folded(decode(example('thoughts-call')));
    expect(answer.parts).toEqual([thought('User wants weather.'), oslo]);
    const usage = { input: 30, output: 20, reasoning: 12 };
    expect(answer.finish).toMatchObject({ reason: 'tool-calls', raw: 'STOP', usage });
    // Reasoning before a call carries its signature if the client's format needs it there.
    const before = folded(decode(example('thoughts-call'), parts({ signedBefore: true })));
    expect(before.parts).toEqual([thought('User wants weather.', own), oslo]);
  });

  test('candidates become choices, and those beyond the requested number are dropped', () => {
    expect(folded(decode(example('two-candidates'), parts({ choices: 2 })))).toMatchObject({
      parts: [{ text: 'aA' }],
      finish: { reason: 'stop', usage: { input: 2, output: 4 } },
      more: [{ parts: [{ text: 'bB' }], end: { reason: 'length', raw: 'MAX_TOKENS' } }],
    });
    expect(folded(decode(example('two-candidates')))).not.toHaveProperty('more');
  });

  test('an error chunk ends the stream with an error (pitfall 20)', () => {
    const events = decode(example('error-mid-stream') + chunkOf([{ text: 'x' }]));
    expect(brief(events)).toMatch(/^0\+text \| 0 [^|]+ \| !overloaded$/);
    expect(events.at(-1)).toMatchObject({ message: 'The model is overloaded' });
  });

  test.each([1, 7, 1e9])(
    'an error body outside of an event ends the stream with that error, read %i bytes at a time',
    size => {
      const error = { code: 503, message: 'Try later.', status: 'UNAVAILABLE' };
      const expected = { type: 'error', kind: 'overloaded', message: 'Try later.' };
      for (const target of [parts(), verbatim])
        for (const before of ['', '\n']) {
          const stream = example('truncated') + before + JSON.stringify({ error }, null, 2);
          expect(decode(stream, target, size).at(-1)).toMatchObject(expected);
        }
    },
  );

  test('a stream that is cut off ends with an error (pitfall 21)', () => {
    const early = { type: 'error', kind: 'upstream', message: 'The upstream ended its answer too early.' };
    for (const target of [parts(), verbatim])
      for (const stream of [example('truncated'), example('text').slice(0, -30), ''])
        expect(decode(stream, target).at(-1)).toMatchObject(early);
  });
});

describe('additions of compatible upstreams', () => {
  const good = chunkOf([{ text: 'a' }]);

  test.each([
    ['a comment', `: ping\n\n${good}`],
    ['a name', `event: message\n${good}`],
    ['no space before the data', good.replace('data: ', 'data:')],
    ['the end mark of another format', `${good}data: [DONE]\n\n`],
    ['an empty event', `data:\n\n${good}`],
  ])('%s is ignored and not sent to the client', (_, stream) => {
    const events = decode(stream, verbatim);
    expect([passed(events), events.at(-1)]).toMatchObject([good, { type: 'finish', reason: 'stop' }]);
    expect(brief(decode(stream))).toBe('0+text | 0 a | 0. | =stop');
  });

  test('data on several lines is sent on one line, and CR LF line ends pass unchanged', () => {
    expect(passed(decode(good.replace('{', '{\ndata: '), verbatim))).toBe(good.replace('{', '{ '));
    const stream = good.replaceAll('\n', '\r\n');
    expect(passed(decode(stream, verbatim))).toBe(stream);
  });

  test('FINISH_REASON_UNSPECIFIED does not end the stream', () => {
    const unfinished = chunkOf([{ text: 'a' }], { finishReason: 'FINISH_REASON_UNSPECIFIED' });
    expect(decode(unfinished + good).at(-1)).toMatchObject({ type: 'finish', raw: 'STOP' });
    expect(decode(unfinished).at(-1)).toMatchObject({ type: 'error' });
  });
});

test.each([
  ['invalid JSON', 'data: {"candidates":\n\n', 'upstream'],
  ['candidates that are not a list', event({ candidates: 'x' }), 'upstream'],
  ['text that is not a string', chunkOf([{ text: 5 }]), 'upstream'],
  ['a call without a name', chunkOf([{ functionCall: { args: {} } }]), 'upstream'],
  [
    'an error in a list of one',
    event([{ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }]),
    'rate-limited',
  ],
])('%s is an error', (_what, stream, kind) => {
  expect(decode(stream).at(-1)).toMatchObject({ type: 'error', kind });
});

const good = {
  candidates: [
    {
      content: { role: 'model', parts: [{ text: 'Plan.', thought: true }, { functionCall: { name: 'f' } }] },
      ...{ finishReason: 'STOP', avgLogprobs: -0.1 },
    },
  ],
  usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 8, thoughtsTokenCount: 20 },
  ...{ modelVersion: 'gemini-x', responseId: 'r1' },
};

describe('a non-streamed response', () => {
  const whole = (body: unknown) => readAll(new WholeDecoder(), JSON.stringify(body), 5);

  test('a non-streamed response passes unchanged, with its finish reason and usage', () => {
    const bytes = Buffer.from(JSON.stringify(good));
    const head = { status: 200, mediaType: 'application/json', length: bytes.length };
    expect(whole(good)).toMatchObject([
      { type: 'verbatim', bytes, whole: head },
      { reason: 'tool-calls', raw: 'STOP', usage: { input: 30, output: 28 } },
    ]);
  });

  test('a blocked prompt and a token count are valid non-streamed responses', () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY', blockReasonMessage: 'No.' } };
    const reason = { reason: 'content-filter', raw: 'SAFETY', explanation: 'No.' };
    expect(whole(blocked)[1]).toMatchObject(reason);
    expect(whole({ totalTokens: 31 })[1]).toEqual({ type: 'finish', reason: 'stop', raw: null, usage: null });
  });

  test.each(
    rows<[unknown, string]>`
    - [{error: {code: 503, status: UNAVAILABLE, message: m}}, overloaded]
    - [{hello: 1}, upstream]
    - [{usageMetadata: {}}, upstream]
    - [{candidates: [{content: {parts: []}}]}, upstream]
    - [{candidates: [{content: {parts: [{text: x}]}}], error: {code: 503, status: UNAVAILABLE}}, overloaded]
    - [[], upstream]
  `,
  )('%j in place of a response is an error', (body, kind) => {
    expect(whole(body)).toMatchObject([{ type: 'error', kind }]);
  });
});

describe('a non-streamed response to a stream request', () => {
  const body = (value: unknown) => decodeBody(Buffer.from(JSON.stringify(value)), parts());

  test('a non-streamed response to a stream request becomes stream events', () => {
    expect(folded(body(good))).toMatchObject({
      start: { id: 'r1', model: 'gemini-x' },
      parts: [thought('Plan.'), { type: 'tool-call', id: generatedId, arguments: '{}' }],
      finish: { reason: 'tool-calls', usage: { output: 28 } },
    });
  });

  test('an array of chunks becomes stream events', () => {
    const frames = example('text')
      .split(/\r\n\r\n/)
      .filter(Boolean);
    const chunks = frames.map(frame => JSON.parse(frame.slice(6)));
    expect(folded(body(chunks))).toMatchObject({ parts: [{ text: '4 C in Žilina' }] });
    expect(body(chunks.slice(0, 1))?.at(-1)).toMatchObject({ type: 'error', kind: 'upstream' });
    expect(body([chunks[0], { error: { code: 500, message: 'm' } }])?.at(-1)).toMatchObject({ message: 'm' });
  });

  test.each([[{ error: { code: 400 } }], [[{ error: { code: 400 } }]], [{}], ['x'], [null], [[]]])(
    '%j is not decoded as a response',
    value => expect(body(value)).toBeUndefined(),
  );
});
