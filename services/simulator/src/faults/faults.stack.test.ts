import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';
import { isJson, Seen } from '../testing/see.ts';
import { atStandstill, pass, waiting } from '../testing/standstill.ts';

let simulator: StartedSimulator;
beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(() => simulator.close());

const question = 'What is the gateway?';
const messages = [{ role: 'user', content: question }];
const invalid = 'invalid_request_error';
const openai = { 400: invalid, 401: invalid, 404: invalid, 429: 'requests', 500: 'server_error' };

/** A format and fragments of its streams. */
interface Case {
  format: string;
  path?: (model: string, stream: boolean) => string;
  /** The fields of a request besides its model. */
  asks: object;
  /** The status of 529. */
  overloaded?: number;
  /** The error types by status. */
  types: Record<number, string>;
  /** A fragment of each token's event, of the event with the finish reason, and of the last event only. */
  marks: [token: string, finish: string, end: string];
  /** The number of times that a stream contains its text. */
  copies?: number;
}

const formats: Case[] = [
  {
    ...{ format: 'chat/completions', asks: { max_tokens: 1_000, messages } },
    types: { ...openai, 529: 'service_unavailable_error' },
    marks: ['"delta":{"content":"', '"finish_reason":"stop"', '[DONE]'],
  },
  {
    ...{ format: 'completions', asks: { max_tokens: 1_000, prompt: question } },
    types: { ...openai, 529: 'service_unavailable_error' },
    marks: ['"choices":[{"index":0,"text":"', '"finish_reason":"stop"', '[DONE]'],
  },
  {
    ...{ format: 'responses', asks: { input: question }, copies: 5 },
    types: { ...openai, 429: 'rate_limit_error', 529: 'server_error' },
    marks: ['event: response.output_text.delta', 'response.completed', 'response.completed'],
  },
  {
    ...{ format: 'messages', asks: { max_tokens: 1_000, messages }, overloaded: 529 },
    types: {
      ...{ 400: invalid, 401: 'authentication_error', 404: 'not_found_error' },
      ...{ 429: 'rate_limit_error', 500: 'api_error', 529: 'overloaded_error' },
    },
    marks: ['text_delta', '"stop_reason":"end_turn"', 'message_stop'],
  },
  {
    format: 'generate-content',
    path: (model, stream) =>
      `beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    asks: { contents: [{ role: 'user', parts: [{ text: question }] }] },
    types: {
      ...{ 400: 'INVALID_ARGUMENT', 401: 'UNAUTHENTICATED', 404: 'NOT_FOUND' },
      ...{ 429: 'RESOURCE_EXHAUSTED', 500: 'INTERNAL', 529: 'UNAVAILABLE' },
    },
    marks: ['"parts":[{"text":"', '"finishReason"', '"finishReason"'],
  },
];

/** The marks of a whole answer. */
const none: Case['marks'] = ['\0', '\0', '\0'];
const count = (text: string, part: string) => text.split(part).length - 1;
const stats = async () => (await fetch(`${simulator.url}/stats`)).json();

function begin({ format, path, asks }: Case, model: string, stream: boolean): Seen {
  const url = `${simulator.url}/v1${path?.(model, stream) ?? `/${format}`}`;
  return new Seen(url, JSON.stringify(path ? asks : { model, stream, ...asks }));
}
const see = (...of: Parameters<typeof begin>) => begin(...of).ended;

/** An answer in a few words. */
function brief({ status, text, code }: Seen, [token, finish, end]: Case['marks']): string {
  const events = text.split('\n').filter(line => line.startsWith('data: {'));
  const tokens = count(text, token);
  const words: [string, boolean][] = [
    [String(status), true],
    ['five', events.length > 0 && tokens === 5],
    ['tokens', events.length > 0 && tokens > 0],
    ['broken', events.length > 0 ? !events.every(line => isJson(line.slice(6))) : !isJson(text || '0')],
    ['finish', finish !== end && text.includes(finish)],
    ['end', text.includes(end)],
    ['error', /(^|data: )\{("type":"error",|"error":\{)/m.test(text)],
    [code, code !== 'end'],
  ];
  return words.flatMap(([word, holds]) => (holds ? [word] : [])).join(' ');
}

describe.each(formats)('$format', each => {
  const { overloaded = 503, marks, types, copies = 1 } = each;

  test.each([true, false])('a status has its error type, streamed: %s', async stream => {
    const inBody = each.format === 'generate-content';
    for (const status of [400, 401, 404, 429, 500, 529]) {
      const { headers, text, ...seen } = await see(each, `some/fault-${status}`, stream);
      const { type, status: name, details } = JSON.parse(text).error;
      expect([seen.status, name ?? type]).toEqual([status === 529 ? overloaded : status, types[status]]);
      expect(headers['retry-after']).toBe(status === 429 && !inBody ? '7' : undefined);
      if (status === 429 && inBody) expect(details).toMatchObject([{ retryDelay: '7s' }]);
    }
    const { headers, text } = await see(each, 'fault-429-2s', stream);
    expect(headers['retry-after'] ?? JSON.parse(text).error.details[0].retryDelay).toMatch(/^2s?$/);
  });

  const complete = marks[1] === marks[2] ? '200 tokens end' : '200 tokens finish end';
  test.each([
    ['fault-200-error', '200 error', '200 error'],
    ['fault-reset', '200 broken ECONNRESET', '200 five tokens ECONNRESET'],
    ['fault-reset-first', '0 ECONNRESET', '0 ECONNRESET'],
    ['fault-truncate', '200 broken', '200 five tokens'],
    ['fault-malformed', '200 broken', complete.replace('tokens', 'tokens broken')],
    ['fault-bytes-t60', '200', complete],
    ['fault-u2028', '200', complete],
    ['fault-slow-5ms', '200', complete],
    ['fault-error', `${overloaded} error`, '200 five tokens error'],
    ['fault-error-first', `${overloaded} error`, '200 error'],
    ['fault-no-end', '200 broken', complete.replace(' end', '')],
    ['fault-nonsense', '404 error', '404 error'],
  ])('%s: %s, streamed: %s', async (model, whole, streamed) => {
    expect(brief(await see(each, model, false), none)).toBe(whole);
    expect(brief(await see(each, model, true), marks)).toBe(streamed);
    expect(await stats()).toMatchObject({ streams: 0, cancelled: 0 });
  });

  test.each([true, false])('fault-bytes and fault-u2028 are exact, streamed: %s', async stream => {
    const { text, reads } = await see(each, 'fault-bytes-t60', stream);
    // The chunk with the finish reason has an empty text.
    const empty = ['generate-content', 'completions'].includes(each.format) ? 1 : 0;
    if (stream) expect(count(text, marks[0])).toBe(60 + empty);
    expect(reads).toBeGreaterThan(text.length / 8);
    const marked = await see(each, 'fault-u2028', stream);
    expect(count(marked.text, '\u2028')).toBe(stream ? copies : 1);
  });

  test.each([true, false])('a client that leaves a silent answer is counted, streamed: %s', async stream => {
    for (const [model, written] of [
      ['fault-hang', 0],
      ['fault-stall', stream ? 5 : 1],
    ] as const) {
      const begun = begin(each, model, stream);
      await expect.poll(() => simulator.requests.at(-1)?.path).toBeDefined();
      const token = stream ? marks[0] : '{';
      await expect.poll(() => count(begun.text, token)).toBeGreaterThanOrEqual(written);
      begun.leave();
      expect(await begun.ended).toMatchObject({ status: written && 200, code: 'ECONNRESET' });
      await vi.waitFor(async () =>
        expect(await stats()).toMatchObject({ streams: 0, cancelled: written ? 2 : 1 }),
      );
    }
  });
});

test('fault-slow delays the first byte, and the name sets the pace before a fault', async () => {
  const [chat] = formats as [Case];
  const standing = await atStandstill(simulator);
  ({ simulator } = standing);
  const slow = see(chat, 'fault-slow-300ms', true);
  await waiting(standing.clock, 1);
  await pass(standing.clock, 300);
  expect((await slow).text).toContain('Model');
  const paced = see(chat, 'fault-truncate-t3-i100ms', true);
  for (let token = 1; token <= 3; token++) {
    await waiting(standing.clock, 1);
    await pass(standing.clock, 100);
  }
  expect((await paced).code).toBe('end');
});

test('fault-line has one line of 100 MB, a delta, and its client may leave', async () => {
  const responses = formats[2] as Case;
  const { text } = await see(responses, 'fault-line-t5', true);
  const long = text.split('\n').filter(line => line.length > 100_000);
  expect(long.map(line => [line.length > 100 * 1_024 * 1_024, isJson(line.slice(6))])).toEqual([
    [true, true],
  ]);
  expect(long[0]?.slice(0, 100)).toContain('.delta');
  expect(text).toContain('response.completed');
  const begun = begin(responses, 'fault-line', true);
  await expect.poll(stats).toMatchObject({ streams: 1 });
  begun.leave();
  await expect.poll(stats).toMatchObject({ streams: 0, cancelled: 1 });
});

test.each([
  ['/v1/messages/count_tokens', { messages }, 529, '{"input_t'],
  ['/v1/responses/input_tokens', { input: question }, 503, '{"object":"response.input'],
  ['/v1beta/models/*:countTokens', { contents: [{ parts: [{ text: 'Hi' }] }] }, 503, /^\{[^}]+$/],
])('%s has the faults of whole answers', async (path, asks, overloaded, half) => {
  const ask = (model: string) => {
    const body = path.includes('*') ? asks : { model, ...asks };
    return new Seen(simulator.url + path.replace('*', model), JSON.stringify(body)).ended;
  };
  expect(await ask('fault-529')).toMatchObject({ status: overloaded });
  expect((await ask('fault-truncate')).text).toEqual(
    typeof half === 'string' ? half : expect.stringMatching(half),
  );
});
