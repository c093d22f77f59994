import OpenAI from 'openai';
import type { Completion, CompletionCreateParamsNonStreaming } from 'openai/resources/completions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';

let simulator: StartedSimulator;
let client: OpenAI;
beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => simulator.close());

const model = 'sim-fast';
const question = 'What is the gateway?';
type Asks = Omit<CompletionCreateParamsNonStreaming, 'model' | 'stream'> & { model?: string };
type Fields = Record<string, unknown[]>;

/** Sends a request whole and streamed, and expects the same answer. */
async function both(request: Asks): Promise<Completion> {
  const whole = await client.completions.create({ model, ...request });
  const usage = { stream_options: { include_usage: true } };
  const stream = await client.completions.create({ model, ...request, stream: true, ...usage });
  const chunks = await Array.fromAsync(stream);
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
  expect(whole.choices.map(({ index }) => folded(chunks, index))).toEqual(whole.choices);
  return whole;
}

function folded(answers: Completion[], index: number) {
  const chunks = answers.flatMap(({ choices }) => choices.filter(choice => choice.index === index));
  const text = chunks.map(({ text }) => text).join('');
  const all = chunks.flatMap(chunk => (chunk.logprobs ? [chunk.logprobs as unknown as Fields] : []));
  const fields = ['tokens', 'token_logprobs', 'top_logprobs', 'text_offset'];
  const lists = fields.map(field => [field, all.flatMap(one => one[field] ?? [])]);
  const logprobs = all.length === 0 ? null : Object.fromEntries(lists);
  return { index, text, finish_reason: chunks.at(-1)?.finish_reason, logprobs };
}

describe('the OpenAI client', () => {
  test('gets a text of 16 tokens by default', async () => {
    const { choices, usage, ...rest } = await both({ prompt: question });
    expect(rest).toMatchObject({ id: expect.stringMatching(/^cmpl-/), object: 'text_completion', model });
    const text = expect.stringMatching(/^Model Gateway/);
    expect(choices).toEqual([{ index: 0, text, logprobs: null, finish_reason: 'length' }]);
    expect(usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 16, total_tokens: 21 });
    expect((await both({ prompt: question, max_tokens: 1_000 })).choices[0]?.finish_reason).toBe('stop');
  });

  test('is billed for all choices that best_of generates', async () => {
    const request = { model: 'sim-t5', prompt: 'Hello', n: 2, best_of: 4 };
    const { choices, usage } = await client.completions.create(request);
    expect([choices.map(({ index }) => index), usage?.completion_tokens]).toEqual([[0, 1], 20]);
  });

  test.each<[CompletionCreateParamsNonStreaming['prompt'], number]>([
    [[1, 2, 3], 1],
    [[[1, 2], [3]], 2],
  ])('may send tokens as the prompt: %j', async (prompt, prompts) => {
    const { choices, usage } = await both({ prompt });
    expect([choices.length, usage?.prompt_tokens]).toEqual([prompts, 3]);
  });

  test('gets its prompt with echo, and logprobs of all tokens but the first', async () => {
    const { choices } = await both({ model: 'sim-t3', prompt: 'Hello there', echo: true, logprobs: 2 });
    const { text = '', logprobs } = choices[0] ?? {};
    const { tokens = [], token_logprobs = [], top_logprobs = [], text_offset = [] } = logprobs ?? {};
    expect([text, tokens.length]).toEqual([expect.stringMatching(/^Hello there/), 5]);
    expect(tokens.join('')).toBe(text);
    expect([token_logprobs[0], top_logprobs[0]]).toEqual([null, null]);
    for (const [at, token] of tokens.entries()) {
      expect(text.startsWith(token, text_offset[at])).toBe(true);
      if (at > 0) expect(top_logprobs[at]).toHaveProperty([token], token_logprobs[at]);
    }
  });

  test.each<[Asks, string, string]>([
    [{ prompt: 'Hello', echo: true, max_tokens: 0 }, '^Hello$', 'length'],
    [{ prompt: question, suffix: ' So it is.', stop: ['never', 'puts'] }, '^Model Gateway $', 'stop'],
    [{ prompt: 'Please refuse', max_tokens: 99 }, 'not help', 'stop'],
    [{ prompt: 'Something forbidden' }, '^$', 'content_filter'],
  ])('gets for %j a text like %s, which ends by %s', async (request, text, finish_reason) => {
    const { choices } = await both(request);
    expect(choices).toMatchObject([{ text: expect.stringMatching(text), finish_reason }]);
  });

  test.each<[object, string | null, string]>([
    [{ prompt: undefined }, 'missing_required_parameter', 'prompt'],
    [{ prompt: { text: 'Hi' } }, 'invalid_type', 'prompt'],
    [{ messages: [] }, 'unknown_parameter', 'messages'],
    [{ logprobs: 6 }, 'integer_above_max_value', 'logprobs'],
    [{ n: 2, best_of: 1 }, 'invalid_value', 'best_of'],
    [{ stream: true, best_of: 2 }, 'invalid_value', 'best_of'],
    [{ stream_options: { include_usage: true } }, null, 'stream_options'],
  ])('gets an error with code and param for %j', async (more, code, param) => {
    const body = { model, prompt: 'Hi', ...more } as CompletionCreateParamsNonStreaming;
    await expect(client.completions.create(body)).rejects.toMatchObject({ status: 400, code, param });
  });
});
