import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { ManualClock } from '@model-gateway/clock/testing';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';
import { atStandstill, pass, waiting } from '../testing/standstill.ts';

let simulator: StartedSimulator;
beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(() => simulator.close());

/** Starts the simulator again, at a time that the test moves. */
async function standStill(): Promise<ManualClock> {
  const started = await atStandstill(simulator);
  simulator = started.simulator;
  return started.clock;
}

const question = 'What is the gateway?';
const messages = [{ role: 'user', content: question }];
const openaiTypes = {
  400: 'invalid_request_error',
  401: 'invalid_request_error',
  404: 'invalid_request_error',
  429: 'requests',
  500: 'server_error',
  529: 'service_unavailable_error',
};

/** A format and fragments of its streams. */
interface Case {
  format: string;
  path(model: string, stream: boolean): string;
  /** The fields of a request besides its model. */
  asks: object;
  overloaded: number;
  /** The error types by status. */
  types: Record<number, string>;
  /** A fragment of each token's event. */
  token: string;
  /** A fragment of the event with the finish reason. */
  finish: string;
  /** A fragment of the last event only. */
  end: string;
  /** The number of times that a stream contains its text. */
  copies: number;
}

const formats: Case[] = [
  {
    format: 'chat',
    path: () => '/v1/chat/completions',
    asks: { max_tokens: 1_000, messages },
    overloaded: 503,
    types: openaiTypes,
    token: '"delta":{"content":"',
    finish: '"finish_reason":"stop"',
    end: '[DONE]',
    copies: 1,
  },
  {
    format: 'messages',
    path: () => '/v1/messages',
    asks: { max_tokens: 1_000, messages },
    overloaded: 529,
    types: {
      400: 'invalid_request_error',
      401: 'authentication_error',
      404: 'not_found_error',
      429: 'rate_limit_error',
      500: 'api_error',
      529: 'overloaded_error',
    },
    token: 'text_delta',
    finish: '"stop_reason":"end_turn"',
    end: 'message_stop',
    copies: 1,
  },
  {
    format: 'generate-content',
    path: (model, stream) =>
      `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    asks: { contents: [{ role: 'user', parts: [{ text: question }] }] },
    overloaded: 503,
    types: {
      400: 'INVALID_ARGUMENT',
      401: 'UNAUTHENTICATED',
      404: 'NOT_FOUND',
      429: 'RESOURCE_EXHAUSTED',
      500: 'INTERNAL',
      529: 'UNAVAILABLE',
    },
    token: '"parts":[{"text":"',
    finish: '"finishReason"',
    end: '"finishReason"',
    copies: 1,
  },
  {
    format: 'responses',
    path: () => '/v1/responses',
    asks: { input: question },
    overloaded: 503,
    types: { ...openaiTypes, 429: 'rate_limit_error', 529: 'server_error' },
    token: 'event: response.output_text.delta',
    finish: 'response.output_item.done',
    end: 'response.completed',
    copies: 5,
  },
  {
    format: 'completions',
    path: () => '/v1/completions',
    asks: { max_tokens: 1_000, prompt: question },
    overloaded: 503,
    types: openaiTypes,
    token: '"choices":[{"index":0,"text":"',
    finish: '"finish_reason":"stop"',
    end: '[DONE]',
    copies: 1,
  },
];

function bodyOf({ format, asks }: Case, model: string, stream: boolean): string {
  return JSON.stringify(format === 'generate-content' ? asks : { model, stream, ...asks });
}
const headers = { 'anthropic-version': '2023-06-01' };

/** The answer as a plain client receives it, and how it ended. */
async function see(each: Case, model: string, stream: boolean) {
  const request = httpRequest(simulator.url + each.path(model, stream), {
    method: 'POST',
    headers,
    agent: false,
  });
  request.on('error', () => {}).end(bodyOf(each, model, stream));
  const seen = {
    status: 0,
    headers: {} as IncomingMessage['headers'],
    text: '',
    reads: [] as number[],
    code: 'end',
  };
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    Object.assign(seen, { status: response.statusCode, headers: response.headers });
    const chunks: Buffer[] = [];
    response.on('close', () => {
      seen.text = Buffer.concat(chunks).toString();
    });
    for await (const chunk of response) {
      chunks.push(chunk);
      seen.reads.push(chunk.length);
    }
  } catch (error) {
    seen.code = (error as NodeJS.ErrnoException).code ?? 'none';
  }
  return seen;
}

/** Opens a request whose answer falls silent; `read` returns what has arrived of it an hour later, and ends it. */
async function openSilent(each: Case, model: string, stream: boolean) {
  const clock = await standStill();
  const { port } = new URL(simulator.url);
  const body = bodyOf(each, model, stream);
  const socket = connect(Number(port), '127.0.0.1');
  let text = '';
  socket.on('data', data => {
    text += data;
  });
  socket.write(
    `POST ${each.path(model, stream)} HTTP/1.1\r\nhost: x\r\nanthropic-version: 2023-06-01\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await waiting(clock, 1);
  return {
    text: () => text,
    async read() {
      await clock.advance(3_599_000);
      expect(socket.readyState).toBe('open');
      socket.destroy();
      return text;
    },
  };
}

const stats = async () => (await fetch(`${simulator.url}/stats`)).json();
const count = (text: string, part: string) => text.split(part).length - 1;
const json = (text: string) => JSON.parse(text);
const errorOf = (text: string) => json(text).error;
/** The data of an event. */
const dataOf = (event: string) => event.replace(/^(event: .*\n)?data: /, '');

describe.each(formats)('$format', each => {
  describe.each([true, false])('streamed: %s', stream => {
    test.each([400, 401, 404, 429, 500, 529])('fault-%i is an error with this status', async status => {
      const seen = await see(each, `some/fault-${status}`, stream);
      const { type, status: name, details } = errorOf(seen.text);
      expect(seen.status).toBe(status === 529 ? each.overloaded : status);
      expect(name ?? type).toBe(each.types[status]);
      const inBody = each.format === 'generate-content';
      expect(seen.headers['retry-after']).toBe(status === 429 && !inBody ? '7' : undefined);
      if (status === 429 && inBody) expect(details).toMatchObject([{ retryDelay: '7s' }]);
    });

    test('fault-200-error is an error with status 200', async () => {
      const seen = await see(each, 'fault-200-error', stream);
      expect(seen).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
      expect(errorOf(seen.text).message).toBeTypeOf('string');
    });

    test('fault-hang writes nothing, and a client that disconnects is counted', async () => {
      const silent = await openSilent(each, 'fault-hang', stream);
      expect(await silent.read()).toBe('');
      await vi.waitFor(async () => expect(await stats()).toMatchObject({ streams: 0, cancelled: 1 }));
    });

    test('fault-stall stops after some tokens, and a client that disconnects is counted', async () => {
      const silent = await openSilent(each, 'fault-stall', stream);
      await vi.waitFor(() => {
        expect(silent.text()).toContain('200 OK');
        if (stream) expect(count(silent.text(), each.token)).toBeGreaterThanOrEqual(5);
      });
      const text = await silent.read();
      expect(text).not.toContain('\r\n0\r\n');
      expect(text).not.toContain(each.end);
      await vi.waitFor(async () => expect(await stats()).toMatchObject({ streams: 0, cancelled: 1 }));
    });

    test('fault-reset resets the connection after some tokens, and no client is counted as cancelled', async () => {
      const seen = await see(each, 'fault-reset', stream);
      expect(seen).toMatchObject({ status: 200, code: 'ECONNRESET' });
      expect(seen.text.length).toBeGreaterThan(100);
      expect(seen.text).not.toContain(each.end);
      expect(await stats()).toMatchObject({ streams: 0, cancelled: 0 });
    });

    test('fault-reset-first resets the connection before the first byte', async () => {
      expect(await see(each, 'fault-reset-first', stream)).toMatchObject({
        status: 0,
        code: 'ECONNRESET',
        text: '',
      });
      expect(await stats()).toMatchObject({ streams: 0, cancelled: 0 });
    });

    test('fault-truncate ends without finish reason and end mark', async () => {
      const seen = await see(each, 'fault-truncate', stream);
      expect(seen).toMatchObject({ status: 200, code: 'end' });
      if (stream) {
        expect(seen.text.endsWith('\n\n')).toBe(true);
        for (const mark of [each.end, each.finish]) expect(seen.text).not.toContain(mark);
      } else expect(() => json(seen.text)).toThrow(SyntaxError);
    });

    test('fault-malformed has one event that is not JSON', async () => {
      const seen = await see(each, 'fault-malformed', stream);
      expect(seen).toMatchObject({ status: 200, code: 'end' });
      if (!stream) return expect(() => json(seen.text)).toThrow(SyntaxError);
      const data = seen.text.split('\n').filter(line => line.startsWith('data: {'));
      const broken = data.filter(line => !isJson(line.slice(6)));
      expect(broken).toHaveLength(1);
      expect(data.indexOf(broken[0] as string)).toBeGreaterThan(3);
      expect(seen.text).toContain(each.end);
    });

    test('fault-slow-300ms delays the first byte by 300 ms', async () => {
      const clock = await standStill();
      const seen = see(each, 'fault-slow-300ms', stream);
      await waiting(clock, 1);
      await pass(clock, 300);
      expect((await seen).text).toContain('Model');
    });

    test('fault-bytes is a correct answer in writes of one byte', async () => {
      const seen = await see(each, 'fault-bytes-t60', stream);
      if (stream) {
        expect(seen.text.trimEnd().split('\n\n').at(-1)).toContain(each.end);
        // The chunk with the finish reason has an empty text.
        const empty = ['generate-content', 'completions'].includes(each.format) ? 1 : 0;
        expect(count(seen.text, each.token)).toBe(60 + empty);
      } else expect(Object.keys(json(seen.text)).join()).toMatch(/usage/);
      expect(seen.reads.length).toBeGreaterThan(seen.text.length / 8);
    });

    test('fault-line has one line of 100 MB', async () => {
      const { text } = await see(each, 'fault-line-t5', stream);
      expect(text.length).toBeGreaterThan(100 * 1_024 * 1_024);
      if (!stream) return expect(text.endsWith('}')).toBe(true);
      const long = text.split('\n').filter(line => line.length > 100_000);
      expect(long).toHaveLength(1);
      expect(isJson(long[0]?.slice(6) ?? '')).toBe(true);
      // It is a delta, not an event that repeats the whole text.
      expect(long[0]?.slice(0, 100)).not.toContain('.done');
      expect(text).toContain(each.end);
    });

    test('fault-u2028 has an unescaped U+2028 in its text', async () => {
      const { text } = await see(each, 'fault-u2028', stream);
      expect(count(text, '\u2028')).toBe(stream ? each.copies : 1);
      expect(text).toContain('Model');
      for (const line of stream ? text.split('\n').filter(line => line.startsWith('data: {')) : [text])
        expect(isJson(line.replace(/^data: /, ''))).toBe(true);
    });

    test.each(['fault-error', 'fault-error-first'])('%s ends in an error event', async model => {
      const seen = await see(each, model, stream);
      if (!stream) return expect(seen.status).toBe(each.overloaded);
      expect(seen).toMatchObject({ status: 200, code: 'end' });
      const events = seen.text.trimEnd().split('\n\n');
      // In responses, response.failed follows the error.
      const last = each.format === 'responses' ? 2 : 1;
      if (model === 'fault-error-first') expect(events).toHaveLength(last);
      else expect(count(seen.text, each.token)).toBeGreaterThanOrEqual(5);
      const event = events.at(-last) ?? '';
      if (event.startsWith('event')) expect(event).toMatch(/^event: error\n/);
      const data = json(dataOf(event));
      expect(data.error ?? data).toHaveProperty('message');
      expect(seen.text).not.toContain(each.end);
    });

    test('fault-no-end leaves out the end mark', async () => {
      const seen = await see(each, 'fault-no-end', stream);
      expect(seen).toMatchObject({ status: 200, code: 'end' });
      if (!stream) return expect(isJson(`${seen.text}}`)).toBe(true);
      if (each.finish !== each.end) expect(seen.text).toContain(each.finish);
      expect(seen.text).not.toContain(each.end);
    });

    test('an unknown fault is a 404', async () => {
      expect((await see(each, 'fault-nonsense', stream)).status).toBe(404);
    });
  });

  test('the model name sets the number and the pace of tokens before a fault', async () => {
    const clock = await standStill();
    const seen = see(each, 'fault-truncate-t3-i100ms', true);
    for (let token = 1; token <= 3; token++) {
      await waiting(clock, 1);
      await pass(clock, 100);
    }
    expect((await seen).code).toBe('end');
    const { headers, text } = await see(each, 'fault-429-2s', true);
    expect(headers['retry-after'] ?? errorOf(text).details[0].retryDelay).toMatch(/^2s?$/);
  });
});

test.each([
  ['messages', '/v1/messages/count_tokens', { messages }, 529, '{"input_t'],
  ['responses', '/v1/responses/input_tokens', { input: question }, 503, '{"object":"response.input'],
])('a token count of %s has the faults of whole answers', async (_format, path, asks, overloaded, half) => {
  const ask = (model: string) =>
    fetch(simulator.url + path, { method: 'POST', headers, body: JSON.stringify({ model, ...asks }) });
  expect((await ask('fault-529')).status).toBe(overloaded);
  expect(await (await ask('fault-truncate')).text()).toBe(half);
});

test('a token count of generate-content has the faults of whole answers', async () => {
  const contents = [{ parts: [{ text: 'Hi' }] }];
  const ask = (model: string) =>
    fetch(`${simulator.url}/v1beta/models/${model}:countTokens`, {
      method: 'POST',
      body: JSON.stringify({ contents }),
    });
  expect((await ask('fault-529')).status).toBe(503);
  expect(isJson(await (await ask('fault-truncate')).text())).toBe(false);
});

test('a client that disconnects during a long line ends the stream', async () => {
  const [chat] = formats as [Case];
  const request = httpRequest(simulator.url + chat.path('fault-line', true), { method: 'POST' });
  request.end(bodyOf(chat, 'fault-line', true));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  // It has begun, and waits for the client to read more.
  await once(response, 'readable');
  expect(await stats()).toMatchObject({ streams: 1 });
  response.destroy();
  await vi.waitFor(async () => expect(await stats()).toMatchObject({ streams: 0, cancelled: 1 }));
});

describe('the OpenAI client', () => {
  const ask = (model: string) => {
    const client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'any', maxRetries: 0 });
    return client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Hi' }] });
  };

  test.each([
    ['fault-400', OpenAI.BadRequestError],
    ['fault-401', OpenAI.AuthenticationError],
    ['fault-429', OpenAI.RateLimitError],
    ['fault-500', OpenAI.InternalServerError],
    ['fault-529', OpenAI.InternalServerError],
    ['fault-reset-first', OpenAI.APIConnectionError],
  ])('%s is thrown as the matching error class', async (model, error) => {
    await expect(ask(model)).rejects.toThrow(error);
  });

  test('gets a refusal, whole and streamed', async () => {
    const client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'any' });
    const request = { model: 'sim-fast', messages: [{ role: 'user' as const, content: 'Please refuse' }] };
    const whole = await client.chat.completions.create(request);
    const streamed = await client.chat.completions.stream(request).finalChatCompletion();
    for (const { choices } of [whole, streamed])
      expect(choices[0]).toMatchObject({
        finish_reason: 'stop',
        message: { content: null, refusal: expect.stringContaining('not help') },
      });
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
