import { PassingTime } from '@model-gateway/bus/testing/passing-time';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

const time = new PassingTime();
const slow = new ScriptedUpstream();
const quick = new ScriptedUpstream();
let stack: Stack;
let client: OpenAI;

beforeAll(async () => {
  const provider = async (name: string, upstream: ScriptedUpstream) => ({
    name,
    kind: 'openai-compatible',
    baseUrl: await upstream.url(),
  });
  const targets = ['slow', 'quick'].map(name => ({ provider: name, model: 'm' }));
  stack = await startStack({
    catalog: {
      providers: [await provider('slow', slow), await provider('quick', quick)],
      models: [
        { name: 'plain', targets },
        { name: 'hedged', targets, hedgeAfter: '300ms' },
      ],
    },
    time,
  });
  client = new OpenAI({ baseURL: `${stack.url}/v1`, apiKey: stack.token, maxRetries: 0 });
});
afterAll(async () => {
  await stack?.stop();
  slow.close();
  quick.close();
});

/** Resolved when the first target may answer. */
let told = Promise.withResolvers<void>();

const messages = [{ role: 'user', content: 'Hello' }] as const;

/** Asks once; returns the target that answered and the request's id. The first target may answer `ms` after it got the request. */
async function ask(model: string, stream: boolean, ms = 0) {
  told = Promise.withResolvers();
  const before = slow.requests;
  const asked = client.chat.completions.create({ model, messages: [...messages], stream });
  await expect.poll(() => slow.requests).toBe(before + 1);
  await time.pass(ms);
  told.resolve();
  const { data, response } = await asked.withResponse();
  let text = '';
  if (Symbol.asyncIterator in data)
    for await (const { choices } of data) text += choices[0]?.delta.content ?? '';
  else text = data.choices[0]?.message.content ?? '';
  expect(text).toBe('Hello');
  return { target: response.headers.get('x-gateway-target'), id: response.headers.get('x-request-id') };
}

test('a second target answers if the first does not in time, which is cancelled and recorded', async () => {
  slow.next = () => ({ does: 'hang' });
  const { left, requests } = slow;
  const { target, id } = await ask('hedged', true, 300);
  expect(target).toBe('quick/m');
  expect(slow.requests - requests).toBe(1);
  await time.eventually(() => expect(slow.left - left).toBe(1));
  const outcomes = () =>
    stack.usage
      .filter(({ requestId }) => requestId === id)
      .map(({ provider, outcome, charged }) => `${provider} ${outcome} ${charged}`)
      .toSorted();
  await time.eventually(() => expect(outcomes()).toEqual(['quick answered true', 'slow cancelled false']));
});

test('no second target is asked if the first one answers in time, for a whole answer, or if the model is not hedged', async () => {
  const before = quick.requests;
  slow.next = () => ({ does: 'answer', after: told.promise });
  expect(await ask('hedged', true)).toMatchObject({ target: 'slow/m' });
  expect(await ask('hedged', true, 250)).toMatchObject({ target: 'slow/m' });
  expect(await ask('plain', true, 600)).toMatchObject({ target: 'slow/m' });
  // When it begins cannot be seen.
  expect(await ask('hedged', false, 600)).toMatchObject({ target: 'slow/m' });
  expect(quick.requests).toBe(before);
});
