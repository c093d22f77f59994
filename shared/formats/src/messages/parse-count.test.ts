import { system, user } from '@model-gateway/canonical/testing/parts';
import { expect, test } from 'vitest';
import { parseCount } from './parse.ts';
import { countRenderer } from './render.ts';

const messages = [{ role: 'user', content: 'Hello' }];

test('a token count covers the request that generate would send', () => {
  const tools = [{ name: 'f', input_schema: { type: 'object' } }];
  const body = { model: 'm', system: 'Be brief.', messages, tools, tool_choice: { type: 'any' } };
  const { model, canonical } = parseCount(body, {});
  expect(model).toBe('m');
  expect(canonical()).toEqual({
    messages: [system('Be brief.'), user('Hello')],
    tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }],
    toolChoice: { type: 'required' },
    ...{ userFirst: true, signaturesBefore: true },
  });
  expect(countRenderer.count(7)).toEqual({ input_tokens: 7 });
});

test.each([
  ['model: Field required', { messages }],
  ['messages: List should have at least 1 item', { model: 'm', messages: [] }],
  ['messages.0.role: Field required', { model: 'm', messages: [{ content: 'x' }] }],
  ['thread: threads are not supported', { model: 'm', messages, thread: { type: 'continue' } }],
])('a body with an invalid field is rejected: %s', (message, body) => {
  expect(() => parseCount(body, {})).toThrow(message);
});
