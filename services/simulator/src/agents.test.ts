import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { Agent, tool as agentTool, OpenAIProvider, Runner } from '@openai/agents';
import { generateText, type LanguageModel, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type StartedSimulator, startSimulator } from './start.ts';

let simulator: StartedSimulator;
beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

const prompt = 'What is the weather in Oslo and Rome?';
const description = 'Current weather in a city';
const inputSchema = z.object({ city: z.string() });
const tools = { get_weather: tool({ description, inputSchema, execute: async () => '4 C' }) };
const found = /get_weather.* gave .*4 C/;

/** Clients that run tools themselves and send everything back, signatures and all. */
const models: Record<string, () => LanguageModel> = {
  'generate-content': () =>
    createGoogleGenerativeAI({ apiKey: 'any', baseURL: `${simulator.url}/v1beta` })('sim-fast'),
  responses: () => createOpenAI({ apiKey: 'any', baseURL: `${simulator.url}/v1` }).responses('sim-fast'),
};
const providerOptions = {
  google: { thinkingConfig: { includeThoughts: true, thinkingBudget: 100 } },
  openai: { forceReasoning: true, reasoningEffort: 'low', reasoningSummary: 'auto', store: true },
};

test.each(Object.keys(models))('the AI SDK runs tools over %s', async format => {
  const model = models[format]?.() as LanguageModel;
  const asked = { model, prompt, tools, providerOptions, stopWhen: stepCountIs(3), maxRetries: 0 };
  const whole = await generateText(asked);
  expect(whole.steps).toHaveLength(2);
  expect(whole.text).toMatch(found);
  expect(await streamText(asked).text).toBe(whole.text);
});

test('the AI SDK gives reasoning back that nobody stores', async () => {
  const openai = { ...providerOptions.openai, store: false, include: ['reasoning.encrypted_content'] };
  const { text } = await generateText({
    model: models.responses?.() as LanguageModel,
    prompt,
    tools,
    providerOptions: { openai },
    stopWhen: stepCountIs(3),
    maxRetries: 0,
  });
  expect(text).toMatch(found);
  const { input } = JSON.parse(simulator.requests.at(-1)?.body ?? '{}');
  expect(input.map(({ type }: { type?: string }) => type)).toContain('reasoning');
});

test.each([false, true])('an agent runs a tool over responses, streamed: %s', async stream => {
  const openAIClient = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'any', maxRetries: 0 });
  const runner = new Runner({
    modelProvider: new OpenAIProvider({ openAIClient, useResponses: true }),
    tracingDisabled: true,
  });
  const get_weather = agentTool({
    name: 'get_weather',
    description,
    parameters: inputSchema,
    execute: async () => '4 C',
  });
  const agent = new Agent({
    name: 'Weather',
    model: 'sim-fast',
    instructions: 'Help.',
    tools: [get_weather],
  });
  if (!stream) return expect((await runner.run(agent, prompt)).finalOutput).toMatch(found);
  const run = await runner.run(agent, prompt, { stream: true });
  await run.completed;
  expect(run.finalOutput).toMatch(found);
});
