import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { type StartedSimulator, startSimulator } from '@model-gateway/simulator';
import { generateText, isStepCount, type LanguageModel, Output, streamText, tool } from 'ai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Stack, startStack } from '../stack/stack.ts';

let simulator: StartedSimulator;
let stack: Stack;
let models: Record<string, (name: string) => LanguageModel>;

beforeAll(async () => {
  simulator = await startSimulator();
  stack = await startStack({
    catalog: {
      providers: [{ name: 'sim', kind: 'openai-compatible', baseUrl: `${simulator.url}/v1` }],
      models: [{ name: 'sim-*', targets: [{ provider: 'sim', model: 'sim-*' }] }],
    },
  });
  const settings = { baseURL: `${stack.url}/v1`, apiKey: stack.token };
  const openai = createOpenAI(settings);
  const compatible = createOpenAICompatible({
    ...settings,
    name: 'gateway',
    supportsStructuredOutputs: true,
  });
  models = { openai: name => openai.chat(name), 'openai-compatible': name => compatible(name) };
});

afterAll(async () => {
  await stack?.stop();
  await simulator?.close();
});

const weather = tool({
  description: 'The weather in a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `4 C in ${city}`,
});

describe.each(['openai', 'openai-compatible'])('the AI SDK with provider %s', provider => {
  const model = (name = 'sim-fast') => models[provider]?.(name) as LanguageModel;

  test('generates and streams the same text', async () => {
    const prompt = 'Who are you?';
    const { text, usage } = await generateText({ model: model(), prompt });
    expect(usage.outputTokens).toBeGreaterThan(0);
    let streamed = '';
    for await (const piece of streamText({ model: model(), prompt }).textStream) streamed += piece;
    expect(streamed).toBe(text);
  });

  test('runs a tool loop', async () => {
    const { text, steps } = await generateText({
      model: model(),
      prompt: 'What is the weather in Oslo and Rome?',
      tools: { weather },
      stopWhen: isStepCount(3),
    });
    expect(steps[0]?.toolCalls.map(call => call.input)).toEqual([{ city: 'Oslo' }, { city: 'Rome' }]);
    expect(text).toContain('4 C in Rome');
  });

  test('makes an object to a schema', async () => {
    const schema = z.object({ title: z.string(), pages: z.number() });
    const { output } = await generateText({
      model: model(),
      prompt: 'A book',
      output: Output.object({ schema }),
    });
    expect(schema.parse(output)).toEqual(output);
  });

  test('knows an unknown model by its status', async () => {
    await expect(generateText({ model: model('nope'), prompt: 'x', maxRetries: 0 })).rejects.toMatchObject({
      statusCode: 404,
    });
  });
});
