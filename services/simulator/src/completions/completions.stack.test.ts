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
type ParsedRequest = Omit<CompletionCreateParamsNonStreaming, 'model' | 'stream'> & { model?: string };

/** Sends a request whole and streamed, and expects the same answer. */
async function both(request: ParsedRequest): Promise<Completion> {
  const whole = await client.completions.create({ model, ...request });
  const chunks = await streamed(request);
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
  expect(whole.choices.map(({ index }) => folded(chunks, index))).toEqual(whole.choices);
  return whole;
}

async function streamed(request: ParsedRequest): Promise<Completion[]> {
  const chunks: Completion[] = [];
  const stream_options = { include_usage: true };
  for await (const chunk of await client.completions.create({
    model,
    ...request,
    stream: true,
    stream_options,
  }))
    chunks.push(chunk);
  return chunks;
}

function folded(answers: Completion[], index: number) {
  const chunks = answers.flatMap(({ choices }) => choices.filter(choice => choice.index === index));
  const logprobs = chunks.flatMap(chunk => chunk.logprobs ?? []);
  const all = <T>(lists: (T[] | undefined)[]) => lists.flatMap(list => list ?? []);
  return {
    index,
    text: chunks.map(({ text }) => text).join(''),
    finish_reason: chunks.at(-1)?.finish_reason,
    logprobs:
      logprobs.length === 0
        ? null
        : {
            tokens: all(logprobs.map(({ tokens }) => tokens)),
            token_logprobs: all(logprobs.map(({ token_logprobs }) => token_logprobs)),
            top_logprobs: all(logprobs.map(({ top_logprobs }) => top_logprobs)),
            text_offset: all(logprobs.map(({ text_offset }) => text_offset)),
          },
  };
}

describe('the OpenAI client', () => {
  test('gets a text of 16 tokens by default', async () => {
    const { choices, usage, ...rest } = await both({ prompt: question });
    expect(rest).toMatchObject({ id: expect.stringMatching(/^cmpl-/), object: 'text_completion', model });
    expect(choices).toEqual([
      { index: 0, text: expect.stringMatching(/^Model Gateway/), logprobs: null, finish_reason: 'length' },
    ]);
    expect(usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 16, total_tokens: 21 });
    const long = await both({ prompt: question, max_tokens: 1_000 });
    expect(long.choices[0]?.finish_reason).toBe('stop');
  });

  test('is billed for all choices that best_of generates', async () => {
    const request = { model: 'sim-t5', prompt: 'Hello', n: 2 };
    const { choices, usage } = await client.completions.create({ ...request, best_of: 4 });
    expect(choices.map(({ index }) => index)).toEqual([0, 1]);
    expect(usage?.completion_tokens).toBe(20);
  });

  test.each<[CompletionCreateParamsNonStreaming['prompt'], number]>([
    [[1, 2, 3], 1],
    [[[1, 2], [3]], 2],
  ])('may send tokens as the prompt: %j', async (prompt, prompts) => {
    const { choices, usage } = await both({ prompt });
    expect(choices).toHaveLength(prompts);
    expect(usage?.prompt_tokens).toBe(3);
  });

  test('gets its prompt with echo, and logprobs of all tokens but the first', async () => {
    const { choices } = await both({ model: 'sim-t3', prompt: 'Hello there', echo: true, logprobs: 2 });
    const [choice] = choices;
    const { tokens = [], token_logprobs = [], top_logprobs = [], text_offset = [] } = choice?.logprobs ?? {};
    expect(choice?.text).toMatch(/^Hello there/);
    expect(tokens.join('')).toBe(choice?.text);
    expect(tokens).toHaveLength(5);
    expect([token_logprobs[0], top_logprobs[0]]).toEqual([null, null]);
    for (const [at, token] of tokens.entries()) {
      expect(choice?.text.slice(text_offset[at], (text_offset[at] ?? 0) + token.length)).toBe(token);
      if (at > 0) expect(top_logprobs[at]).toHaveProperty([token], token_logprobs[at]);
    }
  });

  test('gets only its prompt with echo and max_tokens 0', async () => {
    const { choices } = await both({ prompt: 'Hello', echo: true, max_tokens: 0 });
    expect(choices).toMatchObject([{ text: 'Hello', finish_reason: 'length' }]);
  });

  test('gets text up to a stop string, a refusal as text, and content_filter without text', async () => {
    const { choices } = await both({ prompt: question, suffix: ' So it is.', stop: ['never', 'puts'] });
    expect(choices).toMatchObject([{ text: 'Model Gateway ', finish_reason: 'stop' }]);
    const refused = await both({ prompt: 'Please refuse' });
    expect(refused.choices[0]?.text).toContain('not help');
    const blocked = await both({ prompt: 'Something forbidden' });
    expect(blocked.choices).toMatchObject([{ text: '', finish_reason: 'content_filter' }]);
  });

  test('gets no usage in a stream unless it requests usage', async () => {
    for await (const chunk of await client.completions.create({
      model: 'sim-t3',
      prompt: 'Hi',
      stream: true,
    }))
      expect(chunk).not.toHaveProperty('usage');
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
