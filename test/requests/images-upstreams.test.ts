import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventReader } from '@model-gateway/sse';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { openUploads } from './audio.ts';

type Script = (response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

let script: Script;
let asked = 0;
const server = createServer((request, response) => {
  asked++;
  request.on('error', () => {});
  void script(response, request);
});
let stack: Stack;
/** The log of all services. */
const lines: string[] = [];

beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stack = await startStack({
    log: pino({ level: 'trace' }, { write: line => void lines.push(line) }),
    env: { GATEWAY_BODY_LIMIT: '2000000' },
    catalog: {
      providers: [
        { name: 'openai', kind: 'openai-compatible', baseUrl: `${url}/v1` },
        { name: 'gemini', kind: 'gemini', baseUrl: url, apiKey: { value: 'key' } },
      ],
      models: [
        { name: 'o', targets: [{ provider: 'openai', model: 'up' }] },
        { name: 'g', targets: [{ provider: 'gemini', model: 'up' }] },
        {
          name: 'both',
          targets: [
            { provider: 'openai', model: 'up' },
            { provider: 'gemini', model: 'up' },
          ],
        },
      ],
    },
  });
});
beforeEach(() => {
  asked = 0;
});
afterAll(async () => {
  await stack?.stop();
  server.closeAllConnections();
  server.close();
});
afterEach(() => expect.poll(openUploads).toEqual([]));

const post = (path: string, body: NonNullable<RequestInit['body']>, more: RequestInit = {}) =>
  fetch(`${stack.url}/v1/images/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${stack.token}`,
      ...(typeof body === 'string' && { 'content-type': 'application/json' }),
    },
    body,
    ...more,
  });
const generate = (fields: object, more?: RequestInit) =>
  post('generations', JSON.stringify({ prompt: 'A fox', ...fields }), more);

const pngHead = Buffer.from('89504e470d0a1a0a', 'hex');
/** An image of the requested size; the first bytes are those of a PNG. */
const picture = (bytes: number) => Buffer.concat([pngHead, Buffer.alloc(bytes - pngHead.length, 7)]);

function edit(bytes: number, fields: Record<string, string> = {}, more: RequestInit = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: 'o', prompt: 'A hat', ...fields }))
    form.set(name, value);
  form.set('image', new Blob([Uint8Array.from(picture(bytes))], { type: 'image/png' }), 'a.png');
  return post('edits', form, more);
}

const event = (type: string, fields: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const usage = { input_tokens: 5, output_tokens: 9, total_tokens: 14 };
const completed = (b64_json: string) => event('image_generation.completed', { b64_json, usage });
const partial = (b64_json: string) =>
  event('image_generation.partial_image', { b64_json, partial_image_index: 0 });

function startStream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' });
}

function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const drained = async (request: IncomingMessage) => {
  let size = 0;
  for await (const chunk of request) size += chunk.length;
  return size;
};

describe('an image stream of an upstream of the same format', () => {
  test('an image stream passes byte for byte, with images of megabytes and comments between them', async () => {
    const large = 'A'.repeat(3_000_000);
    const sent = `${partial(large)}: keep-alive\n\n${partial(large)}${completed(large)}`;
    script = async (response, request) => {
      await drained(request);
      startStream(response);
      const bytes = Buffer.from(sent);
      for (let at = 0; at < bytes.length; at += 1_000_003)
        await new Promise(resolve => response.write(bytes.subarray(at, at + 1_000_003), resolve));
      response.end();
    };
    const response = await generate({ model: 'o', stream: true, partial_images: 2 });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect((await response.text()) === sent).toBe(true);
  });

  test('an image stream is complete once every image is, even if the upstream then closes the connection', async () => {
    script = async (response, request) => {
      await drained(request);
      startStream(response).write(completed('QQ==') + completed('QQ=='), () => response.destroy());
    };
    const response = await generate({ model: 'o', stream: true, n: 2 });
    expect(await response.text()).toBe(completed('QQ==') + completed('QQ=='));
  });

  const cut = { message: 'The upstream ended its answer too early.', type: 'server_error' };
  test.each<[string, (response: ServerResponse) => void, object]>([
    ['ends too early', response => response.end(), cut],
    [
      'breaks off',
      response => void response.socket?.end(),
      { message: 'The upstream closed the connection mid-response.' },
    ],
    [
      'fails',
      response => response.end('event: error\ndata: {"error":{"message":"No GPU."}}\n\n'),
      { message: 'No GPU.' },
    ],
    [
      'fails in another way',
      response => response.end('data: {"type":"error","message":"No GPU."}\n\n'),
      { message: 'No GPU.' },
    ],
    [
      'talks nonsense',
      response => response.end('data: {\n\n'),
      { message: 'The upstream sent a malformed event.' },
    ],
  ])('an image stream that %s ends with an error event', async (_what, end, error) => {
    script = async (response, request) => {
      await drained(request);
      startStream(response).write(partial('QQ=='));
      end(response);
    };
    const text = await (await generate({ model: 'o', stream: true })).text();
    expect(text.startsWith(partial('QQ=='))).toBe(true);
    const last = new EventReader().read(Buffer.from(text)).at(-1);
    expect(last?.event).toBe('error');
    expect(JSON.parse(last?.data ?? '')).toMatchObject({
      error: { param: null, code: expect.anything(), type: 'server_error', ...error },
    });
  });

  test('an image stream that ends before its first event is retried at the next target', async () => {
    script = async (response, request) => {
      await drained(request);
      if (request.url?.includes('Content')) sendJson(response, inline([pngHead]));
      else startStream(response).end(': keep-alive\n\n');
    };
    const text = await (await generate({ model: 'both', stream: true })).text();
    expect(new EventReader().read(Buffer.from(text)).map(({ event }) => event)).toEqual([
      'image_generation.completed',
    ]);
  });

  test('an image stream is made from a non-streamed response', async () => {
    script = async (response, request) => {
      await drained(request);
      const data = [{ b64_json: 'QQ==' }, { url: 'https://example.com/a.png' }];
      sendJson(response, { created: 1, data, size: '512x512', quality: 'low', output_format: 'webp', usage });
    };
    const text = await (await edit(100, { stream: 'true' })).text();
    const events = new EventReader().read(Buffer.from(text)).map(({ data }) => JSON.parse(data));
    const looks = { size: '512x512', quality: 'low', background: 'auto', output_format: 'webp' };
    expect(events).toMatchObject([
      { type: 'image_edit.completed', b64_json: 'QQ==', ...looks, usage: { total_tokens: 0 } },
      {
        type: 'image_edit.completed',
        url: 'https://example.com/a.png',
        ...looks,
        usage: { total_tokens: 14 },
      },
    ]);
  });
});

/** A response of a Gemini upstream with these images. */
function inline(images: readonly Buffer[], more: object = {}) {
  const parts = images.map(bytes => ({
    inlineData: { mimeType: 'image/png', data: bytes.toString('base64') },
  }));
  return { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', ...more }] };
}

describe('a Gemini upstream', () => {
  const answers = (body: unknown, status = 200) => {
    script = async (response, request) => {
      await drained(request);
      sendJson(response, body, status);
    };
  };

  test('a Gemini upstream returns several large images, with one request each', async () => {
    answers(inline([picture(3_000_000)]));
    const response = await generate({ model: 'g', n: 4 });
    const { data } = (await response.json()) as { data: { b64_json: string }[] };
    expect(data.map(({ b64_json }) => b64_json.length)).toEqual([4_000_000, 4_000_000, 4_000_000, 4_000_000]);
    expect(asked).toBe(4);
    const streamed = await (await generate({ model: 'g', n: 2, stream: true })).text();
    expect(new EventReader().read(Buffer.from(streamed))).toHaveLength(2);
  });

  test("a Gemini upstream's reasoning is left out, and addresses contain the image", async () => {
    const { candidates } = inline([pngHead]);
    const thought = { thought: true, inlineData: { mimeType: 'image/png', data: 'QQ==' } };
    candidates[0]?.content.parts.unshift(thought, { text: 'Here it is.' } as never);
    answers({ candidates });
    const response = await generate({ model: 'g', response_format: 'url' });
    expect(await response.json()).toEqual({
      created: expect.any(Number),
      data: [{ url: `data:image/png;base64,${pngHead.toString('base64')}` }],
      output_format: 'png',
    });
  });

  test.each<[string, object, number, object]>([
    [
      'the prompt is blocked',
      { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } },
      400,
      {
        type: 'invalid_request_error',
        code: 'content_policy_violation',
        message: expect.stringContaining('PROHIBITED_CONTENT'),
      },
    ],
    [
      'the image is withheld',
      inline([], { finishReason: 'IMAGE_SAFETY', finishMessage: 'It was unsafe.' }),
      400,
      { code: 'content_policy_violation', message: expect.stringContaining('It was unsafe.') },
    ],
    [
      'it answers in words',
      {
        candidates: [
          {
            content: { parts: [{ text: 'I would rather not. Ask at http://10.0.0.1/x' }] },
            finishReason: 'STOP',
          },
        ],
      },
      502,
      {
        code: 'upstream_error',
        message: 'The model made no image. The model returned: I would rather not. Ask at [redacted]',
      },
    ],
    [
      'it makes none',
      inline([], { finishReason: 'NO_IMAGE' }),
      502,
      { message: 'The model made no image. The finish reason is NO_IMAGE.' },
    ],
    ['it sends nonsense', { hello: 1 }, 502, { message: 'The upstream sent a malformed answer.' }],
  ])('a Gemini upstream is an error or a refusal if %s', async (_what, body, status, error) => {
    answers(body);
    const response = await generate({ model: 'g' });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error });
  });

  test("a Gemini upstream's text in place of an image is sent to its client only", async () => {
    lines.length = 0;
    answers({ candidates: [{ content: { parts: [{ text: 'Foxes are shy.' }] }, finishReason: 'STOP' }] });
    expect(await (await generate({ model: 'g', prompt: 'A shy fox' })).text()).toMatch('Foxes are shy.');
    await expect.poll(() => lines.filter(line => line.includes('made no image'))).toHaveLength(2);
    expect(lines.join('')).not.toMatch(/shy/);
  });

  test("a Gemini upstream's error names the fields of the client's format", async () => {
    const details = [{ fieldViolations: [{ field: 'contents[0].parts[1].inline_data' }] }];
    answers(
      {
        error: { code: 400, message: 'Unable to process input image.', status: 'INVALID_ARGUMENT', details },
      },
      400,
    );
    const response = await edit(100, { model: 'g' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: 'image' } });
  });

  test('a Gemini upstream accepts files up to the size of a body, and another target of the model accepts more', async () => {
    script = async (response, request) => {
      await drained(request);
      sendJson(
        response,
        request.url?.includes('Content') ? inline([pngHead]) : { data: [{ b64_json: 'QQ==' }] },
      );
    };
    expect((await edit(1_900_000, { model: 'g' })).status).toBe(200);
    const response = await edit(2_100_000, { model: 'g' });
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual({
      error: {
        message: "The files are larger than 2 MB, the limit for this model's provider.",
        type: 'invalid_request_error',
        param: null,
        code: 'request_too_large',
      },
    });
    expect((await edit(2_100_000, { model: 'both' })).status).toBe(200);
  });
});

describe('a client that disconnects', () => {
  /** Resolves when the upstream's connection is closed. */
  let closed: Promise<void>;
  const stalls = (begin: Script) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    closed = promise;
    script = (response, request) => {
      request.socket.on('close', () => resolve());
      return begin(response, request);
    };
  };

  test('a client that disconnects mid-stream closes the upstream', async () => {
    stalls(async (response, request) => {
      await drained(request);
      startStream(response).write(partial('A'.repeat(1_000_000)));
    });
    const leave = new AbortController();
    const response = await generate({ model: 'o', stream: true }, { signal: leave.signal });
    await response.body?.getReader().read();
    leave.abort();
    await closed;
  });

  test.each(['o', 'g'])(
    'a client that disconnects before a response closes the upstream of %s',
    async model => {
      const begun = Promise.withResolvers<void>();
      stalls(async (_response, request) => {
        await drained(request);
        begun.resolve();
      });
      const leave = new AbortController();
      const response = edit(1_500_000, { model }, { signal: leave.signal }).catch(() => {});
      await begun.promise;
      leave.abort();
      await closed;
      await response;
    },
  );
});
