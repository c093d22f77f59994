import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type StartedSimulator, startSimulator } from '../start.ts';

let simulator: StartedSimulator;
beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(() => simulator.close());

/** Both formats, and what ends their streams. */
const formats = [
  { format: 'chat', path: '/v1/chat/completions', overloaded: 503, token: '"content":"', end: '[DONE]' },
  { format: 'messages', path: '/v1/messages', overloaded: 529, token: 'text_delta', end: 'message_stop' },
] as const;
type Case = (typeof formats)[number];

const bodyOf = (model: string, stream: boolean) =>
  JSON.stringify({
    model,
    stream,
    max_tokens: 1_000,
    messages: [{ role: 'user', content: 'What is the gateway?' }],
  });
const headers = { 'anthropic-version': '2023-06-01' };

/** What a plain client sees of an answer, and how it ended. */
async function see({ path }: Case, model: string, stream: boolean) {
  const request = httpRequest(simulator.url + path, { method: 'POST', headers, agent: false });
  request.on('error', () => {}).end(bodyOf(model, stream));
  const seen = {
    status: 0,
    headers: {} as IncomingMessage['headers'],
    text: '',
    reads: [] as number[],
    code: 'end',
  };
  const started = performance.now();
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    Object.assign(seen, { status: response.statusCode, headers: response.headers });
    const pieces: Buffer[] = [];
    response.on('close', () => {
      seen.text = Buffer.concat(pieces).toString();
    });
    for await (const piece of response) {
      pieces.push(piece);
      seen.reads.push(piece.length);
    }
  } catch (error) {
    seen.code = (error as NodeJS.ErrnoException).code ?? 'none';
  }
  return { ...seen, ms: performance.now() - started };
}

/** Reads until nothing more comes for a while, and then leaves. */
async function seeUntilSilence({ path }: Case, model: string, stream: boolean): Promise<string> {
  const { port } = new URL(simulator.url);
  const body = bodyOf(model, stream);
  const socket = connect(Number(port), '127.0.0.1');
  let text = '';
  socket.on('data', data => {
    text += data;
  });
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nanthropic-version: 2023-06-01\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await new Promise(resolve => setTimeout(resolve, 400));
  expect(socket.readyState).toBe('open');
  socket.destroy();
  return text;
}

const stats = async () => (await fetch(`${simulator.url}/stats`)).json();
const count = (text: string, part: string) => text.split(part).length - 1;
const json = (text: string) => JSON.parse(text);
const errorOf = (text: string) => json(text).error;

describe.each(formats)('$format', each => {
  describe.each([true, false])('streamed: %s', stream => {
    test.each([
      [400, 'invalid_request_error', 'invalid_request_error'],
      [401, 'invalid_request_error', 'authentication_error'],
      [404, 'invalid_request_error', 'not_found_error'],
      [429, 'requests', 'rate_limit_error'],
      [500, 'server_error', 'api_error'],
      [529, 'service_unavailable_error', 'overloaded_error'],
    ])('fault-%i', async (status, chatType, messagesType) => {
      const seen = await see(each, `some/fault-${status}`, stream);
      expect(seen.status).toBe(status === 529 ? each.overloaded : status);
      expect(errorOf(seen.text)).toMatchObject({ type: each.format === 'chat' ? chatType : messagesType });
      expect(seen.headers['retry-after']).toBe(status === 429 ? '7' : undefined);
    });

    test('fault-200-error', async () => {
      const seen = await see(each, 'fault-200-error', stream);
      expect(seen).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
      expect(errorOf(seen.text).message).toBeTypeOf('string');
    });

    test('fault-hang writes nothing, and a client that leaves is counted', async () => {
      expect(await seeUntilSilence(each, 'fault-hang', stream)).toBe('');
      await vi.waitFor(async () => expect(await stats()).toMatchObject({ streams: 0, cancelled: 1 }));
    });

    test('fault-stall writes something, and a client that leaves is counted', async () => {
      const text = await seeUntilSilence(each, 'fault-stall', stream);
      expect(text).toContain('200 OK');
      expect(text).not.toContain('\r\n0\r\n');
      if (stream) expect(count(text, each.token)).toBeGreaterThanOrEqual(5);
      expect(text).not.toContain(each.end);
      await vi.waitFor(async () => expect(await stats()).toMatchObject({ streams: 0, cancelled: 1 }));
    });

    test('fault-reset comes after something, and nobody has left', async () => {
      const seen = await see(each, 'fault-reset', stream);
      expect(seen).toMatchObject({ status: 200, code: 'ECONNRESET' });
      expect(seen.text.length).toBeGreaterThan(100);
      expect(seen.text).not.toContain(each.end);
      expect(await stats()).toMatchObject({ streams: 0, cancelled: 0 });
    });

    test('fault-reset-first', async () => {
      expect(await see(each, 'fault-reset-first', stream)).toMatchObject({
        status: 0,
        code: 'ECONNRESET',
        text: '',
      });
      expect(await stats()).toMatchObject({ streams: 0, cancelled: 0 });
    });

    test('fault-truncate', async () => {
      const seen = await see(each, 'fault-truncate', stream);
      expect(seen).toMatchObject({ status: 200, code: 'end' });
      if (stream) {
        expect(seen.text.endsWith('\n\n')).toBe(true);
        for (const mark of [each.end, '"finish_reason":"stop"', 'stop_reason":"'])
          expect(seen.text).not.toContain(mark);
      } else expect(() => json(seen.text)).toThrow(SyntaxError);
    });

    test('fault-malformed', async () => {
      const seen = await see(each, 'fault-malformed', stream);
      expect(seen).toMatchObject({ status: 200, code: 'end' });
      if (!stream) return expect(() => json(seen.text)).toThrow(SyntaxError);
      const data = seen.text.split('\n').filter(line => line.startsWith('data: {'));
      const broken = data.filter(line => !isJson(line.slice(6)));
      expect(broken).toHaveLength(1);
      expect(data.indexOf(broken[0] as string)).toBeGreaterThan(3);
      expect(seen.text).toContain(each.end);
    });

    test('fault-slow', async () => {
      const less = await see(each, 'fault-slow-300ms', stream);
      expect(less.ms).toBeGreaterThan(290);
      expect(less.ms).toBeLessThan(1_000);
      expect(less.text).toContain('Model');
    });

    test('fault-bytes is a good answer', async () => {
      const seen = await see(each, 'fault-bytes-t60', stream);
      if (stream) {
        expect(
          seen.text.trimEnd().endsWith(each.format === 'chat' ? '[DONE]' : '{"type":"message_stop"}'),
        ).toBe(true);
        expect(count(seen.text, each.token)).toBe(each.format === 'chat' ? 61 : 60);
      } else expect(json(seen.text)).toHaveProperty('usage');
      expect(seen.reads.length).toBeGreaterThan(seen.text.length / 8);
    });

    test('fault-line', async () => {
      const { text } = await see(each, 'fault-line-t5', stream);
      expect(text.length).toBeGreaterThan(100 * 1_024 * 1_024);
      if (!stream) return expect(text.endsWith('}')).toBe(true);
      const long = text.split('\n').filter(line => line.length > 1_000);
      expect(long).toHaveLength(1);
      expect(isJson(long[0]?.slice(6) ?? '')).toBe(true);
      expect(text).toContain(each.end);
    });

    test('fault-u2028', async () => {
      const { text } = await see(each, 'fault-u2028', stream);
      expect(count(text, '\u2028')).toBe(1);
      expect(text).toContain('Model');
      for (const line of stream ? text.split('\n').filter(line => line.startsWith('data: {')) : [text])
        expect(isJson(line.replace(/^data: /, ''))).toBe(true);
    });

    test.each(['fault-error', 'fault-error-first'])('%s', async model => {
      const seen = await see(each, model, stream);
      if (!stream) return expect(seen.status).toBe(each.overloaded);
      expect(seen).toMatchObject({ status: 200, code: 'end' });
      const events = seen.text.trimEnd().split('\n\n');
      if (model === 'fault-error-first') expect(events).toHaveLength(1);
      else expect(count(seen.text, each.token)).toBeGreaterThanOrEqual(5);
      const last = events.at(-1) ?? '';
      if (each.format === 'messages') expect(last).toMatch(/^event: error\n/);
      expect(errorOf(last.replace(/^(event: error\n)?data: /, ''))).toHaveProperty('message');
      expect(seen.text).not.toContain(each.end);
    });

    test('fault-no-end', async () => {
      const seen = await see(each, 'fault-no-end', stream);
      expect(seen).toMatchObject({ status: 200, code: 'end' });
      if (!stream) return expect(isJson(`${seen.text}}`)).toBe(true);
      expect(seen.text).toMatch(/"finish_reason":"stop"|"stop_reason":"end_turn"/);
      expect(seen.text).not.toContain(each.end);
    });

    test('a fault that there is not', async () => {
      expect((await see(each, 'fault-nonsense', stream)).status).toBe(404);
    });
  });

  test('a name says how many tokens come how fast before a fault', async () => {
    const seen = await see(each, 'fault-truncate-t3-i100ms', true);
    expect(seen.ms).toBeGreaterThan(290);
    expect((await see(each, 'fault-429-2s', true)).headers['retry-after']).toBe('2');
  });
});

test('counting tokens has the faults of whole answers', async () => {
  const ask = (model: string) =>
    fetch(`${simulator.url}/v1/messages/count_tokens`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }),
    });
  expect((await ask('fault-529')).status).toBe(529);
  expect(await (await ask('fault-truncate')).text()).toBe('{"input_t');
});

test('a reader that leaves in the middle of a long line ends it', async () => {
  const request = httpRequest(simulator.url + formats[0].path, { method: 'POST' });
  request.end(bodyOf('fault-line', true));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  await new Promise(resolve => setTimeout(resolve, 100));
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
  ])('%s is thrown', async (model, error) => {
    await expect(ask(model)).rejects.toThrow(error);
  });

  test('a refusal is one', async () => {
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
