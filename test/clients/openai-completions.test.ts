import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FourUpstreams, startFourUpstreams, upstreams } from './four-upstreams.ts';

let gateway: FourUpstreams;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startFourUpstreams();
  client = new OpenAI({ baseURL: `${gateway.stack.url}/v1`, apiKey: gateway.stack.token, maxRetries: 0 });
});
afterAll(() => gateway?.stop());

describe.each(upstreams)('completions with an upstream of %s', upstream => {
  const model = `${upstream}/sim-fast`;

  test('completions.create returns a completed text', async () => {
    const answer = await client.completions.create({ model, prompt: 'Once upon a time', max_tokens: 50 });
    expect(answer).toMatchObject({ object: 'text_completion', id: expect.stringMatching(/^cmpl-/) });
    const [choice] = answer.choices;
    expect(choice).toMatchObject({ index: 0, finish_reason: 'stop', logprobs: null });
    expect(choice?.text).not.toBe('');
    expect(answer.usage?.total_tokens).toBeGreaterThan(0);
  });

  test('a streamed completion has the prompt before it and the usage after it', async () => {
    const asked = { model, prompt: 'Once upon a time', echo: true };
    const whole = await client.completions.create(asked);
    const stream = await client.completions.create({
      ...asked,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    const text = chunks.flatMap(({ choices }) => choices.map(choice => choice.text)).join('');
    expect(text).toBe(whole.choices[0]?.text);
    expect(text.startsWith('Once upon a time')).toBe(true);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: whole.usage?.total_tokens } });
  });

  test('several prompts get several choices each', async () => {
    const { choices } = await client.completions.create({
      model,
      prompt: ['Weather in Oslo?', 'Who are you?'],
      n: 2,
      echo: true,
    });
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(choices.map(({ text }) => text.slice(0, 7))).toEqual(['Weather', 'Weather', 'Who are', 'Who are']);
  });

  test('a field that only a text model supports is refused', async () => {
    for (const fields of [{ suffix: 'end' }, { logprobs: 1 }, { prompt: [1, 2] }]) {
      const [param] = Object.keys(fields);
      const refused = client.completions.create({ model, prompt: 'x', ...fields });
      await expect(refused).rejects.toMatchObject({ status: 400, code: 'unsupported_parameter', param });
    }
  });
});
