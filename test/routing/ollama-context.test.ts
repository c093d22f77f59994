import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { see } from '../conformance/see.ts';
import { type Format, formats } from '../stack/formats.ts';
import { type Stack, startStack } from '../stack/stack.ts';
import { ScriptedUpstream } from './scripted-upstream.ts';

const ollama = new ScriptedUpstream();
const spare = new ScriptedUpstream();
let stack: Stack;

beforeAll(async () => {
  const target = (provider: string) => ({ provider, model: 'qwen3:4b' });
  stack = await startStack({
    catalog: {
      providers: [
        { name: 'ollama', kind: 'ollama', baseUrl: (await ollama.url()).replace('/v1', '') },
        { name: 'spare', kind: 'openai-compatible', baseUrl: await spare.url() },
      ],
      models: [
        { name: 'small', targets: [target('ollama')] },
        { name: 'two', targets: [target('ollama'), target('spare')], strategy: 'ordered' },
        { name: 'growing', targets: [target('ollama')], fallbacks: { contextLength: ['large'] } },
        { name: 'large', targets: [target('spare')] },
      ],
    },
  });
});
afterAll(async () => {
  await stack?.stop();
  for (const upstream of [ollama, spare]) upstream.close();
});
beforeEach(() => {
  ollama.requests = 0;
  spare.requests = 0;
});

const asked = { param: null, code: null };
const ofLlamaCpp = {
  code: 400,
  message: 'request (351 tokens) exceeds the available context size (256 tokens), try increasing it',
  ...{ type: 'exceed_context_size_error', n_prompt_tokens: 351, n_ctx: 256 },
};

/** Errors of `openai.NewError` for those of Ollama's engines: its own, a llama-server, and embeddings, in the words of ollama/ollama. */
const errors = {
  'its own engine': {
    ...{ message: 'the input length exceeds the context length', type: 'invalid_request_error' },
    ...asked,
  },
  'llama-server': {
    ...{ message: JSON.stringify({ error: ofLlamaCpp }), type: 'invalid_request_error' },
    ...asked,
  },
  'a text to embed': {
    message: 'input exceeds maximum context length and cannot be truncated further',
    ...{ type: 'invalid_request_error', ...asked },
  },
};

/** The error of each format for a prompt that is too long, as the clients of its vendor know it. */
const expected: Record<Format, { name: string; message: RegExp }> = {
  chat: { name: 'context_length_exceeded', message: /exceeds .*context/ },
  responses: { name: 'context_length_exceeded', message: /exceeds .*context/ },
  messages: { name: 'invalid_request_error', message: /^prompt is too long: .*exceeds .*context/ },
  'generate-content': { name: 'INVALID_ARGUMENT', message: /exceeds .*context/ },
};

describe.each(Object.entries(errors))('a prompt that is too long for %s of Ollama', (_, error) => {
  beforeEach(() => {
    ollama.next = () => ({ does: 'fail', status: 400, error });
  });
  const ask = (format: Format, model: string, stream: boolean) =>
    see({ url: stack.url, token: stack.token, format, model, stream });

  test.each(formats.flatMap(format => [false, true].map(stream => [format, stream] as const)))(
    'is the error that a client of %s knows, streamed: %s',
    async (format, stream) => {
      const { name, message } = expected[format];
      const seen = await ask(format, 'small', stream);
      expect(seen).toMatchObject({ status: 400, text: '', retryAfter: null, error: { name } });
      expect(seen.error?.message).toMatch(message);
      expect(seen.error?.message).not.toContain('{');
    },
  );

  test.each(formats)('is answered by the model with a larger context, for a client of %s', async format => {
    for (const stream of [false, true])
      expect(await ask(format, 'growing', stream)).toMatchObject({ status: 200, text: 'Hello', ended: true });
    expect([ollama.requests, spare.requests]).toEqual([2, 2]);
  });

  test('is not sent to another target of the same model, and gives the target no rest', async () => {
    for (let at = 0; at < 5; at++) expect((await ask('chat', 'two', false)).status).toBe(400);
    expect([ollama.requests, spare.requests]).toEqual([5, 0]);
    ollama.next = () => ({ does: 'answer' });
    expect(await ask('chat', 'two', false)).toMatchObject({ status: 200, text: 'Hello' });
    expect([ollama.requests, spare.requests]).toEqual([6, 0]);
    expect(stack.workerNotices()).toEqual([]);
  });

  test('is the same error for a text to embed', async () => {
    const openai = new OpenAI({ baseURL: `${stack.url}/v1`, apiKey: stack.token, maxRetries: 0 });
    const failed = openai.embeddings.create({ model: 'small', input: 'A long text' });
    await expect(failed).rejects.toMatchObject({ status: 400, code: 'context_length_exceeded' });
  });
});
