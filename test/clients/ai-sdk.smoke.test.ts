import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, type LanguageModel, Output, streamText, tool } from 'ai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type FourUpstreams, startFourUpstreams, upstreams } from './four-upstreams.ts';

let gateway: FourUpstreams;
let models: Record<string, (name: string) => LanguageModel>;

beforeAll(async () => {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  gateway = await startFourUpstreams();
  const { url, token } = gateway.stack;
  const settings = { baseURL: `${url}/v1`, apiKey: token };
  const openai = createOpenAI(settings);
  const compatible = createOpenAICompatible({
    ...settings,
    name: 'gateway',
    supportsStructuredOutputs: true,
    includeUsage: true,
  });
  const anthropic = createAnthropic(settings);
  const google = createGoogle({ ...settings, baseURL: `${url}/v1beta` });
  models = {
    openai: name => openai.chat(name),
    'openai-compatible': name => compatible(name),
    anthropic: name => anthropic(name),
    google: name => google(name),
  };
});

afterAll(() => gateway?.stop());

const weather = tool({
  description: 'The weather in a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `4 C in ${city}`,
});

const pairs = ['openai', 'openai-compatible', 'anthropic', 'google'].flatMap(provider =>
  upstreams.map(upstream => ({ provider, upstream })),
);

describe.each(pairs)('the AI SDK with provider $provider and an upstream of $upstream', pair => {
  const { provider, upstream } = pair;
  // The anthropic provider requests fewer tokens for models whose names it does not know.
  const known = provider === 'anthropic' ? 'claude-opus-4-6' : 'sim-fast';
  const model = (name = known) => models[provider]?.(`${upstream}/${name}`) as LanguageModel;
  const loop = (more: object = {}) => ({
    model: model(),
    prompt: 'What is the weather in Oslo and Rome?',
    tools: { weather },
    stopWhen: isStepCount(3),
    ...more,
  });
  // Google's models return no thoughts unless the request asks for them.
  const google = { thinkingConfig: { includeThoughts: true } };
  const thinking = { reasoning: 'medium' as const, providerOptions: { google } };

  test('a text is the same whole and streamed', async () => {
    const prompt = 'Who are you?';
    const { text, usage, finishReason } = await generateText({ model: model(), prompt });
    expect(usage.inputTokens).toBeGreaterThan(0);
    expect(usage.outputTokens).toBeGreaterThan(0);
    const stream = streamText({ model: model(), prompt });
    let streamed = '';
    for await (const piece of stream.textStream) streamed += piece;
    expect(streamed).toBe(text);
    expect([finishReason, await stream.finishReason]).toEqual(['stop', 'stop']);
    expect((await stream.usage).outputTokens).toBe(usage.outputTokens);
  });

  test('a tool loop runs whole and streamed', async () => {
    const streamed = streamText(loop());
    await streamed.consumeStream();
    for (const { text, steps } of [
      await generateText(loop()),
      { text: await streamed.text, steps: await streamed.steps },
    ]) {
      expect(steps[0]?.toolCalls.map(call => call.input)).toEqual([{ city: 'Oslo' }, { city: 'Rome' }]);
      expect(text).toContain('4 C in Rome');
    }
  });

  // The openai provider reads no reasoning from chat completions, because OpenAI's format has none.
  test('reasoning survives a tool loop, whole and streamed', async () => {
    const streamed = streamText(loop(thinking));
    await streamed.consumeStream();
    for (const steps of [(await generateText(loop(thinking))).steps, await streamed.steps]) {
      expect(steps.at(-1)?.text).toContain('4 C in Rome');
      if (provider !== 'openai') expect(steps[0]?.reasoningText).toContain('Oslo');
      const keepsProof = upstream === 'messages' && ['anthropic', 'google'].includes(provider);
      if (keepsProof) expect(JSON.stringify(gateway.received())).toContain('"signature":"');
    }
  });

  test('an object follows its schema', async () => {
    const schema = z.object({ title: z.string(), pages: z.number() });
    const output = Output.object({ schema });
    const whole = await generateText({ model: model(), prompt: 'A book', output });
    expect(schema.parse(whole.output)).toEqual(whole.output);
    const streamed = streamText({ model: model(), prompt: 'A book', output });
    expect(schema.parse(await streamed.output)).toBeDefined();
  });

  test('an unknown model and a rate limit are recognized by their status', async () => {
    const failure = (name: string) =>
      generateText({ model: model(name), prompt: 'x', maxRetries: 0 }).catch(error => error);
    expect(await failure('fault-nope')).toMatchObject({ statusCode: 404 });
    expect(await failure('fault-429')).toMatchObject({ statusCode: 429, isRetryable: true });
    const unknown = models[provider]?.('nope') as LanguageModel;
    await expect(generateText({ model: unknown, prompt: 'x', maxRetries: 0 })).rejects.toMatchObject({
      statusCode: 404,
    });
  });

  test('a stream that breaks throws an error', async () => {
    const errors: unknown[] = [];
    const onError = ({ error }: { error: unknown }) => void errors.push(error);
    await streamText({ model: model('fault-error'), prompt: 'Who are you?', onError }).consumeStream();
    expect(errors).toHaveLength(1);
  });
});
