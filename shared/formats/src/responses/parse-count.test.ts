import { expect, test } from 'vitest';
import { parseCount } from './parse.ts';
import { countRenderer } from './render.ts';

test('a token count covers the request that generate would send', () => {
  const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }];
  const { canonical } = parseCount({
    model: 'm',
    input: 'Hello',
    instructions: 'Be brief.',
    tools,
  });
  expect(canonical()).toMatchObject({
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    ],
    tools: [{ type: 'function', name: 'f' }],
  });
  expect(countRenderer.count(7)).toEqual({ object: 'response.input_tokens', input_tokens: 7 });
});

test.each([
  ['input', { model: 'm' }],
  ['model', { input: 'x' }],
  ['previous_response_id', { model: 'm', input: 'x', previous_response_id: 'resp_1' }],
])('a body with an invalid %s is rejected', (param, body) => {
  expect(() => parseCount(body)).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ param }) }),
  );
});
