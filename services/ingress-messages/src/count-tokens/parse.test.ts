import { describe, expect, test } from 'vitest';
import { parse } from './parse.ts';

const ask = (content: unknown, fields = {}) => ({
  model: 'm',
  messages: [{ role: 'user', content }],
  ...fields,
});

async function count(body: Record<string, unknown>): Promise<number> {
  const { body: answer, headers } = await parse(body, {}).answer();
  expect(headers).toEqual({ 'x-gateway-estimate': 'true' });
  return (answer as { input_tokens: number }).input_tokens;
}

describe('an estimate', () => {
  test('counts what a prompt holds', async () => {
    const small = await count(ask('Hello, world'));
    expect(small).toBe(3 + 4);
    expect(await count(ask('Hello, world', { system: 'Be brief.' }))).toBeGreaterThan(small + 4);
    const tools = [{ name: 'f', input_schema: { type: 'object', properties: { a: { type: 'string' } } } }];
    expect(await count(ask('Hello, world', { tools }))).toBeGreaterThan(small + 10);
    const image = { type: 'image', source: { type: 'url', url: 'https://i.example/a' } };
    expect(await count(ask([{ type: 'text', text: 'Hello, world' }, image]))).toBe(small + 1_600);
    const result = { type: 'tool_result', tool_use_id: 't', content: [image] };
    expect(await count(ask([result]))).toBe(4 + 1_600);
  });

  test('takes what looks like a special token for text', async () => {
    expect(await count(ask('<|endoftext|>'))).toBeGreaterThan(4);
  });

  test('of a long text without spaces takes no long time, and is about right', async () => {
    const started = performance.now();
    const tokens = await count(ask('数据'.repeat(1_000_000)));
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(tokens).toBeGreaterThan(800_000);
    expect(tokens).toBeLessThan(1_200_000);
  });
});

test.each([
  ['model: Field required', { messages: [{ role: 'user', content: 'x' }] }],
  ['messages: List should have at least 1 item', { model: 'm', messages: [] }],
  ['messages.0.role: Field required', { model: 'm', messages: [{ content: 'x' }] }],
])('a body with a wrong field is refused: %s', (message, body) => {
  expect(() => parse(body, {})).toThrow(message);
});
