import { expect, test } from 'vitest';
import { everything, plain } from '../../testing/every-part.ts';
import { readAll } from '../../testing/read-all.ts';
import { generateContent } from './generate-content.ts';

test('a question without settings is a request without them', () => {
  expect(generateContent.build(plain)).toEqual({
    method: 'POST',
    path: '/v1beta/models/m:streamGenerateContent?alt=sse',
    headers: { 'content-type': 'application/json' },
    credential: { header: 'x-goog-api-key', prefix: '' },
    body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  });
});

test('every part and setting has its place in a request', () => {
  const { path, body } = generateContent.build(everything);
  expect(path).toBe('/v1beta/models/a/b:streamGenerateContent?alt=sse');
  expect(body).toMatchObject({
    systemInstruction: { parts: [{ text: 'Be kind.' }] },
    tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: { type: 'object' } }] }],
  });
  expect(body.contents).toEqual([
    {
      role: 'user',
      parts: [
        { text: 'Look' },
        { inlineData: { mimeType: 'image/png', data: 'aW1n' } },
        { inlineData: { mimeType: 'text/plain', data: 'dGV4dA==' } },
      ],
    },
    {
      role: 'model',
      parts: [
        { functionCall: { id: 'c1', name: 'weather', args: { city: 'Oslo' } }, thoughtSignature: 'sig' },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { id: 'c1', name: 'weather', response: { error: 'offline' } } },
        { text: 'So?' },
      ],
    },
  ]);
  expect(body.generationConfig).toEqual({
    temperature: 0.5,
    topP: 0.9,
    topK: 5,
    maxOutputTokens: 100,
    stopSequences: ['END'],
    seed: 7,
    presencePenalty: 1,
    frequencyPenalty: -1,
    thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true },
    responseMimeType: 'application/json',
    responseJsonSchema: { type: 'object' },
  });
  expect(body.toolConfig).toEqual({
    functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather'] },
  });
});

const chunk = (parts: object[], more: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, ...more }],
});

test('thoughts, text and calls are read from a stream, with their signatures', () => {
  const read = readAll(generateContent, [
    chunk([{ text: 'Hm', thought: true }]),
    chunk([{ text: 'm', thought: true }]),
    chunk([{ text: 'Let' }]),
    chunk([{ text: ' me' }]),
    chunk([{ text: '', thoughtSignature: 'of-text' }]),
    chunk([{ functionCall: { id: 'c1', name: 'f', args: { a: 1 } }, thoughtSignature: 'of-call' }]),
    chunk([{ functionCall: { name: 'g' } }]),
    {
      ...chunk([{ text: '' }], { finishReason: 'STOP' }),
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 8, thoughtsTokenCount: 2 },
    },
  ]);
  const seal = (value: string) => ({ format: 'generate-content', value });
  expect(read).toEqual({
    parts: [
      { type: 'reasoning', text: 'Hmm' },
      { type: 'text', text: 'Let me', seal: seal('of-text') },
      { type: 'tool-call', id: 'c1', name: 'f', arguments: '{"a":1}', seal: seal('of-call') },
      { type: 'tool-call', id: 'unnamed_1', name: 'g', arguments: '{}' },
    ],
    finish: ['tool-calls', 'STOP'],
    usage: { input: 9, output: 10, reasoning: 2 },
    complete: true,
  });
});

test('an id that a call came without is not sent back', () => {
  const { body } = generateContent.build({
    ...plain,
    turns: [
      {
        role: 'assistant',
        parts: [{ type: 'tool-call', id: 'unnamed_1', name: 'g', arguments: '{}' }],
      },
    ],
  });
  expect(body.contents).toEqual([{ role: 'model', parts: [{ functionCall: { name: 'g', args: {} } }] }]);
});

test('a blocked prompt is an answer, an unfinished stream is none, and an error is an error', () => {
  expect(readAll(generateContent, [{ promptFeedback: { blockReason: 'SAFETY' } }])).toMatchObject({
    finish: ['filter', 'SAFETY'],
    complete: true,
  });
  expect(readAll(generateContent, [chunk([{ text: 'Half' }])]).complete).toBe(false);
  const error = { error: { code: 503, message: 'Busy', status: 'UNAVAILABLE' } };
  expect(() => readAll(generateContent, [error])).toThrow(
    expect.objectContaining({ message: 'Busy', facts: { code: 'UNAVAILABLE' } }),
  );
});
