import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { chunk, type Script, type ScriptedUpstream, startStream, startUpstream } from './upstream.ts';

/** The behaviour of each model's upstream. */
const scripts: Record<string, Script> = {
  'silent-after-first': response => {
    startStream(response);
    response.write(chunk('Hi'));
  },
  endless: async response => {
    startStream(response);
    while (!response.destroyed) {
      response.write(chunk('x'.repeat(1000)));
      await sleep(1);
    }
  },
};

let upstream: ScriptedUpstream;
let stack: Stack;

beforeAll(async () => {
  upstream = await startUpstream((response, request) => {
    const name = request.url?.split('/')[1] ?? '';
    return scripts[name]?.(response, request);
  });
  const names = Object.keys(scripts);
  const provider = (name: string) => ({
    ...{ name, kind: 'openai-compatible', baseUrl: `${upstream.url}/${name}/v1` },
  });
  const model = (name: string, provider = name) => ({ name, targets: [{ provider, model: 'm' }] });
  stack = await startStack({
    catalog: {
      providers: [
        ...names.map(provider),
        { name: 'unset', kind: 'openai', apiKey: { env: 'NO_SUCH_VARIABLE' } },
      ],
      models: [
        ...[...names, 'unset'].map(name => model(name)),
        // On a busy machine, the first token can take longer than a second.
        { ...model('takes-too-long', 'endless'), timeouts: { total: '3s' } },
      ],
    },
  });
});

afterAll(async () => {
  await stack?.stop();
  upstream?.close();
});

const messages = [{ role: 'user', content: 'Hi' }];

function ask(model: string, fields: object = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(`${stack.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${stack.token}` },
    body: JSON.stringify({ model, messages, ...fields }),
    ...(signal && { signal }),
  });
}

/** The data of a stream's events, in order. */
async function events(response: Response): Promise<string[]> {
  const text = await response.text();
  return text.split('\n\n').flatMap(event => (event.startsWith('data: ') ? [event.slice(6)] : []));
}

test('a stream that takes too long ends with a timeout', async () => {
  const long = await events(await ask('takes-too-long', { stream: true }));
  expect(JSON.parse(long.at(-1) as string).error.code).toBe('timeout');
});

test('an error names the provider that has no credential', async () => {
  const { error } = (await (await ask('unset')).json()) as { error: { message: string } };
  expect(error.message).toContain("'unset' is disabled");
});

test("the upstream is asked for usage in a stream, and gets the client's other stream options", async () => {
  upstream.bodies.length = 0;
  const left = upstream.left();
  const options = { stream: true, stream_options: { include_obfuscation: false } };
  await (await ask('endless', options)).body?.cancel();
  await left;
  const { stream_options } = JSON.parse(upstream.bodies[0] as string);
  expect(stream_options).toEqual({ include_obfuscation: false, include_usage: true });
});

describe('a disconnected client', () => {
  test.each([
    ['after the first token', 'silent-after-first'],
    ['in the middle of a fast stream', 'endless'],
  ])('a client that disconnects %s closes its upstream within a second', async (_when, model) => {
    const left = upstream.left();
    const client = new AbortController();
    await (await ask(model, { stream: true }, client.signal)).body?.getReader().read();
    const at = performance.now();
    client.abort();
    await left;
    expect(performance.now() - at).toBeLessThan(5_000);
  });
});
