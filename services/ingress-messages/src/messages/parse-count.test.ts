import { expect, test } from 'vitest';
import { parseCount } from './parse.ts';
import { countRenderer } from './render.ts';

test('a token count covers the request that generate would send', () => {
  const body = {
    model: 'm',
    system: 'Be brief.',
    messages: [{ role: 'user', content: 'Hello' }],
    tools: [{ name: 'f', input_schema: { type: 'object' } }],
    tool_choice: { type: 'any' },
  };
  const { model, canonical } = parseCount(body, {});
  expect(model).toBe('m');
  expect(canonical()).toEqual({
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    ],
    tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }],
    toolChoice: { type: 'required' },
    userFirst: true,
    signaturesBefore: true,
  });
  expect(countRenderer.count(7)).toEqual({ input_tokens: 7 });
});

test.each([
  ['model: Field required', { messages: [{ role: 'user', content: 'x' }] }],
  ['messages: List should have at least 1 item', { model: 'm', messages: [] }],
  ['messages.0.role: Field required', { model: 'm', messages: [{ content: 'x' }] }],
])('a body with an invalid field is rejected: %s', (message, body) => {
  expect(() => parseCount(body, {})).toThrow(message);
});
