import { refusal } from '@model-gateway/canonical/testing/events';
import { system, user } from '@model-gateway/canonical/testing/parts';
import { expect, test } from 'vitest';
import type { ParsedCount } from '../client/parsed-request.ts';
import { parseCount } from './parse.ts';

const url = '/v1beta/models/m:countTokens';
const parsed = (body: Record<string, unknown>) =>
  parseCount(body, {}, Buffer.from(JSON.stringify(body)), url) as ParsedCount;

const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
const systemInstruction = { parts: [{ text: 'Be brief.' }] };
const brief = { messages: [system('Be brief.'), user('Hello')] };
const tools = [{ functionDeclarations: [{ name: 'f' }] }];

test.each([
  [{ contents }, { messages: [user('Hello')] }],
  [{ generateContentRequest: { model: 'models/m', contents, systemInstruction } }, brief],
  [{ generate_content_request: { contents, system_instruction: systemInstruction } }, brief],
  [
    { generateContentRequest: { contents, tools } },
    { messages: [user('Hello')], tools: [{ type: 'function', name: 'f' }] },
  ],
])('a token count accepts contents, or a whole request in either spelling: %j', (body, request) => {
  expect(parsed(body).canonical()).toEqual({ ...request, userFirst: true });
});

test.each([
  [{}, 'contents'],
  [{ contents, generateContentRequest: { contents } }, 'contents'],
  [{ contents: [{ role: 'user' }] }, 'contents[0].parts'],
  [{ generateContentRequest: {} }, 'generateContentRequest.contents'],
])('%j is rejected', (body, param) => {
  expect(refusal(() => parsed(body))).toMatchObject({ kind: 'invalid-request', param });
});
