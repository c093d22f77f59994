import { startSimulator } from '@model-gateway/simulator';
import { EventReader } from '@model-gateway/sse';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startUnruly, type UnrulyName, unruly } from '../conformance/grid/unruly.ts';
import { type Stack, startStack } from '../stack/stack.ts';

/** The operations beside generation whose answers are streams, with the type of the last event. */
const operations: Record<string, { last: string; request(): [path: string, init: RequestInit] }> = {
  images: {
    last: 'image_generation.completed',
    request: () => json('/v1/images/generations', { model: 'm', prompt: 'A café, 数据', stream: true }),
  },
  speech: {
    last: 'speech.audio.done',
    request: () =>
      json('/v1/audio/speech', { model: 'm', input: 'Hello', voice: 'alloy', stream_format: 'sse' }),
  },
  transcripts: { last: 'transcript.text.done', request: transcription },
};

function json(path: string, body: object): [string, RequestInit] {
  return [path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }];
}

function transcription(): [string, RequestInit] {
  const form = new FormData();
  form.set('model', 'm');
  form.set('stream', 'true');
  form.set('file', new Blob([Buffer.alloc(2_000)]), 'a.mp3');
  return ['/v1/audio/transcriptions', { body: form }];
}

describe.each(Object.keys(unruly) as UnrulyName[])('an upstream with %s', name => {
  let stack: Stack;
  const stops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const simulator = await startSimulator();
    const between = await startUnruly(name, simulator.url);
    stops.push(between.close, simulator.close);
    stack = await startStack({
      catalog: {
        providers: ['plain', 'careless'].map((provider, at) => ({
          name: provider,
          kind: 'openai-compatible',
          baseUrl: `${at === 0 ? simulator.url : between.url}/v1`,
        })),
        models: ['plain', 'careless'].map(provider => ({
          name: provider,
          targets: [{ provider, model: 'sim-fast' }],
        })),
      },
    });
    stops.unshift(stack.stop);
  });
  afterAll(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  test.each(Object.entries(operations))('streams whole %s', async (_operation, { last, request }) => {
    const [plain, careless] = await Promise.all([ask('plain', request()), ask('careless', request())]);
    expect(types(careless).at(-1)).toBe(last);
    expect(types(careless)).toEqual(types(plain));
  });

  async function ask(model: string, [path, init]: [string, RequestInit]): Promise<string> {
    const { body, headers } = init;
    if (body instanceof FormData) body.set('model', model);
    const response = await fetch(`${stack.url}${path}`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${stack.token}` },
      body: typeof body === 'string' ? JSON.stringify({ ...JSON.parse(body), model }) : (body as FormData),
    });
    const text = await response.text();
    expect(response.status, text).toBe(200);
    return text;
  }
});

/** The types of a stream's events. */
function types(stream: string): string[] {
  return new EventReader()
    .read(Buffer.from(stream))
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data).type);
}
