import type { ParsedCount } from '@model-gateway/ingress';
import { expect, test } from 'vitest';
import { parseCount } from './parse.ts';

const url = '/v1beta/models/m:countTokens';
const parsed = (body: Record<string, unknown>) =>
  parseCount(body, {}, Buffer.from(JSON.stringify(body)), url) as ParsedCount;

const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
const hello = { role: 'user', content: [{ type: 'text', text: 'Hello' }] };

test('a token count accepts contents, or a whole request in either spelling', () => {
  const systemInstruction = { parts: [{ text: 'Be brief.' }] };
  const brief = { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] };
  expect(parsed({ contents }).canonical()).toEqual({ messages: [hello], userFirst: true });
  const within = { model: 'models/m', contents, systemInstruction };
  expect(parsed({ generateContentRequest: within }).canonical()).toEqual({
    messages: [brief, hello],
    userFirst: true,
  });
  const spelled = { generate_content_request: { contents, system_instruction: systemInstruction } };
  expect(parsed(spelled).canonical()).toEqual({ messages: [brief, hello], userFirst: true });
  const tools = [{ functionDeclarations: [{ name: 'f' }] }];
  const withTools = parsed({ generateContentRequest: { contents, tools } });
  expect(withTools.canonical()).toMatchObject({ tools: [{ type: 'function', name: 'f' }] });
});

test.each([
  [{}, 'contents'],
  [{ contents, generateContentRequest: { contents } }, 'contents'],
  [{ contents: [{ role: 'user' }] }, 'contents[0].parts'],
  [{ generateContentRequest: {} }, 'generateContentRequest.contents'],
])('%j is rejected', (body, param) => {
  expect(() => parsed(body)).toThrow(
    expect.objectContaining({ kind: 'invalid-request', details: expect.objectContaining({ param }) }),
  );
});
