import { PassingTime } from '@model-gateway/bus/testing/passing-time';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { type Script, ScriptedUpstream } from './scripted-upstream.ts';

const time = new PassingTime();
const upstreams = { a: new ScriptedUpstream(), b: new ScriptedUpstream(), c: new ScriptedUpstream() };
const names = ['a', 'b', 'c'] as const;
let stack: Stack;
let client: OpenAI;

beforeAll(async () => {
  const provider = async (name: (typeof names)[number]) => ({
    ...{ name, kind: 'openai-compatible', baseUrl: await upstreams[name].url() },
  });
  const targets = names.map(name => ({ provider: name, model: 'm' }));
  const spread = targets.map(target => ({ ...target, weight: 1 }));
  stack = await startStack({
    catalog: {
      providers: await Promise.all(names.map(provider)),
      models: [
        { name: 'ordered', targets },
        { name: 'spread', targets: spread },
      ],
    },
    time,
  });
  client = new OpenAI({ baseURL: `${stack.url}/v1`, apiKey: stack.token, maxRetries: 0 });
});
afterAll(async () => {
  await stack?.stop();
  for (const upstream of Object.values(upstreams)) upstream.close();
});

const down: Script = { does: 'fail', status: 500 };

// The time stands still within a test, so that no attempt is for a second that passes.
beforeEach(async () => {
  for (const name of names) {
    upstreams[name].next = () => ({ does: 'answer' });
    upstreams[name].requests = 0;
  }
  // What the last test showed of the targets is forgotten, and the rests are over.
  await time.pass(120_000);
  for (const _ of names) await askAtOnce('spread', 20);
  for (const name of names) upstreams[name].requests = 0;
  await time.pass(60_000);
});

/** Asks so often at once, and returns the number of errors. */
async function askAtOnce(model: string, requests: number): Promise<number> {
  const asked = Array.from({ length: requests }, (_, n) =>
    client.chat.completions.create({
      ...{ model, stream: n % 2 === 0, messages: [{ role: 'user', content: 'Hello' }] },
    } as OpenAI.ChatCompletionCreateParamsNonStreaming),
  );
  const results = await Promise.allSettled(asked);
  return results.filter(({ status }) => status === 'rejected').length;
}

const attempts = () => names.reduce((sum, name) => sum + upstreams[name].requests, 0);

test.each(['ordered', 'spread'])(
  '200 requests at once are answered if one target of a model fails: %s',
  async model => {
    upstreams.a.next = () => down;
    expect(await askAtOnce(model, 200)).toBe(0);
    expect(upstreams.a.requests).toBeGreaterThan(0);
  },
);

test.each(['ordered', 'spread'])(
  '200 requests at once have a fifth more attempts if all targets fail: %s',
  async model => {
    for (const name of names) upstreams[name].next = () => down;
    expect(await askAtOnce(model, 200)).toBe(200);
    expect(attempts()).toBeLessThanOrEqual(1.2 * 200 + 5);
  },
);
