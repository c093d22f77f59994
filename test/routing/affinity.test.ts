import { PassingTime } from '@model-gateway/bus/testing/passing-time';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Simulated, startSimulated } from '../stack/simulated.ts';

let simulated: Simulated;
let client: OpenAI;

beforeAll(async () => {
  // Of targets that answer in no time, none is faster.
  const time = new PassingTime();
  simulated = await startSimulated(
    url => {
      // The simulator has a cache for each of its models, as a provider has for each of its machines.
      const targets = ['sim-t20', 'sim-t21', 'sim-t22'].map(model => ({ provider: 'sim', model, weight: 1 }));
      return {
        providers: [{ name: 'sim', kind: 'openai-compatible', baseUrl: `${url}/v1` }],
        models: [
          { name: 'weighted', targets },
          { name: 'least-busy', targets, strategy: 'least-busy' },
          { name: 'fastest', targets, strategy: 'fastest' },
          { name: 'without', targets, affinity: false },
        ],
      };
    },
    { time },
  );
  client = new OpenAI({ baseURL: `${simulated.stack.url}/v1`, apiKey: simulated.stack.token });
});
afterAll(() => simulated?.stop());

const manual = 'Read this manual before you answer. '.repeat(200);

/** Holds conversations of several turns at once; returns the share of input tokens that were read from a cache. */
async function cacheHits(model: string): Promise<{ hits: number; targets: number }> {
  const sum = { input: 0, cached: 0 };
  const targets = new Set<string>();
  const converse = async (name: number) => {
    const first = `${model} ${name}: ${manual}`;
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: first }];
    for (let turn = 0; turn < 6; turn++) {
      const { data, response } = await client.chat.completions.create({ model, messages }).withResponse();
      targets.add(response.headers.get('x-gateway-target') ?? '');
      sum.input += data.usage?.prompt_tokens ?? 0;
      sum.cached += data.usage?.prompt_tokens_details?.cached_tokens ?? 0;
      const content = data.choices[0]?.message.content ?? '';
      messages.push({ role: 'assistant', content }, { role: 'user', content: `And then (${turn})?` });
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, at) => converse(at)));
  return { hits: sum.cached / sum.input, targets: targets.size };
}

test.each(['weighted', 'least-busy', 'fastest'])(
  "with `%s`, the turns of a conversation find the provider's cache, and conversations are spread",
  async model => {
    const { hits, targets } = await cacheHits(model);
    // The first of six turns cannot.
    expect(hits).toBeGreaterThan(0.75);
    expect(targets).toBe(3);
  },
);

test('without affinity, fewer turns find it', async () => {
  const { hits } = await cacheHits('without');
  expect(hits).toBeLessThan(0.65);
});
