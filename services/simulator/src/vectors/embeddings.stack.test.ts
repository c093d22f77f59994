import OpenAI from 'openai';
import type { EmbeddingCreateParams } from 'openai/resources/embeddings';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartedSimulator, startSimulator } from '../service.ts';

let simulator: StartedSimulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => simulator.close());

const model = 'sim-d64';
const ask = (more: object) =>
  client.embeddings.create({ model, input: 'A cat', ...more } as EmbeddingCreateParams);

describe('the OpenAI client', () => {
  test('gets a vector of length 1 for each input, in order', async () => {
    const input = ['The cat sat on the mat', 'A cat sits on mats', 'Revenue fell by nine percent'];
    const { data, usage, object, model: named } = await ask({ input });
    expect({ object, named }).toEqual({ object: 'list', named: model });
    expect(data.map(({ index }) => index)).toEqual([0, 1, 2]);
    for (const { embedding } of data) {
      expect(embedding).toHaveLength(64);
      expect(Math.hypot(...embedding)).toBeCloseTo(1, 5);
    }
    const [cat = [], alike = [], other = []] = data.map(({ embedding }) => embedding);
    const like = (one: number[]) => cat.reduce((sum, number, at) => sum + number * (one[at] ?? 0), 0);
    expect(like(alike)).toBeGreaterThan(like(other) + 0.2);
    const tokens = input.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
    expect(usage).toEqual({ prompt_tokens: tokens, total_tokens: tokens });
  });

  test('gets the same vector as numbers and as base64', async () => {
    const numbers = (await ask({ encoding_format: 'float' })).data[0]?.embedding ?? [];
    const base64 = (await ask({ encoding_format: 'base64' })).data[0]?.embedding as unknown as string;
    const bytes = Buffer.from(base64, 'base64');
    expect(numbers).toEqual(Array.from({ length: 64 }, (_, at) => bytes.readFloatLE(at * 4)));
    expect((await ask({})).data[0]?.embedding).toEqual(numbers);
  });

  test('may set the length of a vector', async () => {
    expect((await ask({ dimensions: 3 })).data[0]?.embedding).toHaveLength(3);
    expect((await ask({ model: 'sim-fast' })).data[0]?.embedding).toHaveLength(256);
  });

  test('may send tokens: a list is one input, lists are several inputs', async () => {
    const one = await ask({ input: [1, 2, 3] });
    expect(one.data).toHaveLength(1);
    expect(one.usage.prompt_tokens).toBe(3);
    const many = await ask({ input: [[1, 2, 3], [4]] });
    expect(many.data[0]?.embedding).toEqual(one.data[0]?.embedding);
    expect(many.data[1]?.embedding).not.toEqual(one.data[0]?.embedding);
    expect(many.usage.prompt_tokens).toBe(4);
  });

  test('may send 2048 inputs', async () => {
    const { data } = await ask({ input: Array(2_048).fill('x'), dimensions: 1 });
    expect(data).toHaveLength(2_048);
  });

  test.each<[object, string | null, string | null, string?]>([
    [{ input: undefined }, 'missing_required_parameter', 'input'],
    [{ model: undefined }, 'missing_required_parameter', 'model'],
    [{ input: '' }, 'string_below_min_length', 'input'],
    [{ input: [] }, 'empty_array', 'input'],
    [{ input: ['a', ''] }, 'string_below_min_length', 'input[1]'],
    [{ input: ['a', 1] }, 'invalid_type', 'input[1]'],
    [{ input: [1, 'a'] }, 'invalid_type', 'input[1]'],
    [{ input: [[]] }, 'empty_array', 'input[0]'],
    [{ input: { text: 'a' } }, 'invalid_type', 'input'],
    [{ input: Array(2_049).fill('x') }, 'array_above_max_length', 'input', 'maximum length 2048'],
    [{ input: Array(2_049).fill(1) }, 'array_above_max_length', 'input'],
    [{ dimensions: 0 }, 'integer_below_min_value', 'dimensions'],
    [{ dimensions: 1.5 }, 'invalid_type', 'dimensions'],
    [{ dimensions: 4_097 }, 'integer_above_max_value', 'dimensions'],
    [{ model: 'text-embedding-ada-002', dimensions: 8 }, null, null, 'does not support'],
    [{ encoding_format: 'hex' }, 'invalid_value', 'encoding_format', "'float' and 'base64'"],
    [{ inputs: ['a'] }, 'unknown_parameter', 'inputs'],
    [{ input: 'x'.repeat(4 * 8_193) }, null, null, 'you requested 8193 tokens'],
    [
      { input: Array(50).fill('x'.repeat(4 * 6_001)) },
      'max_tokens_per_request',
      null,
      'Requested 300050 tokens, max 300000 tokens per request',
    ],
  ])('gets an error for an invalid request: case %#', async (more, code, param, message = '') => {
    await expect(ask(more)).rejects.toMatchObject({
      status: 400,
      code,
      param,
      message: expect.stringContaining(message),
    });
  });
});
