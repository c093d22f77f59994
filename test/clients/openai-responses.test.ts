import { createOpenAI } from '@ai-sdk/openai';
import { readResponse } from '@model-gateway/formats/testing/response-reader';
import { Agent, tool as agentTool, OpenAIResponsesModel, Runner } from '@openai/agents';
import { generateText, isStepCount, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type FourUpstreams, startFourUpstreams, upstreams } from './four-upstreams.ts';

let gateway: FourUpstreams;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startFourUpstreams();
  client = new OpenAI({ baseURL: `${gateway.stack.url}/v1`, apiKey: gateway.stack.token, maxRetries: 0 });
});
afterAll(() => gateway?.stop());

const question = 'What is the weather in Oslo and Rome?';

/** Reads the events of a response and checks each. */
async function post(body: object): Promise<string> {
  const response = await fetch(`${gateway.stack.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.stack.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, stream: true }),
  });
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  return response.text();
}

/** The formats to which responses are translated. */
const others = upstreams.filter(upstream => upstream !== 'responses');

describe.each(others)('responses with an upstream of %s', upstream => {
  const model = `${upstream}/sim-fast`;
  const ask = (input: string) => ({ model, input });

  test('responses.create returns a complete response', async () => {
    const { data, response } = await client.responses.create(ask('Hello')).withResponse();
    expect(data).toMatchObject({ object: 'response', status: 'completed', model: 'sim-fast', store: true });
    expect(data.id).toMatch(/^resp_/);
    expect(data.output_text).toMatch(/./);
    const { input_tokens, output_tokens, total_tokens } = data.usage as OpenAI.Responses.ResponseUsage;
    expect(total_tokens).toBe(input_tokens + output_tokens);
    expect(data.usage?.input_tokens_details.cached_tokens).toBe(0);
    expect(data.usage?.output_tokens_details.reasoning_tokens).toBe(0);
    expect(response.headers.get('x-gateway-model')).toBe(model);
  });

  test('responses.create with stream returns every event in order, and the same response', async () => {
    const whole = await client.responses.create(ask('Hello'));
    let text = '';
    const numbers: number[] = [];
    for await (const event of await client.responses.create({ ...ask('Hello'), stream: true })) {
      numbers.push(event.sequence_number);
      if (event.type === 'response.output_text.delta') text += event.delta;
    }
    expect(text).toBe(whole.output_text);
    expect(numbers).toEqual(numbers.map((_, i) => i));
    expect(readResponse(await post(ask('Hello')))).toMatchObject({ status: 'completed', usage: whole.usage });
  });

  test('responses.stream returns the final response', async () => {
    const final = await client.responses.stream(ask('Hello')).finalResponse();
    expect(final.output_text).toBe((await client.responses.create(ask('Hello'))).output_text);
  });

  test('responses.parse returns JSON that follows a schema', async () => {
    const schema = z.object({ name: z.string(), stars: z.int().min(1).max(5) });
    const parsed = await client.responses.parse({
      ...ask('Rate it'),
      text: { format: zodTextFormat(schema, 'rating') },
    });
    expect(schema.parse(parsed.output_parsed)).toBeDefined();
  });

  test("errors have the SDK's own classes", async () => {
    const failing = (name: string) =>
      client.responses.create({ model: `${upstream}/${name}`, input: 'x' }).catch(e => e);
    expect(await failing('fault-429')).toBeInstanceOf(OpenAI.RateLimitError);
    expect(await failing('fault-503')).toBeInstanceOf(OpenAI.InternalServerError);
    expect(await failing('fault-400')).toBeInstanceOf(OpenAI.BadRequestError);
    const stored = await client.responses
      .create({ ...ask('x'), previous_response_id: 'resp_1' })
      .catch(e => e);
    expect(stored).toBeInstanceOf(OpenAI.BadRequestError);
    expect(stored).toMatchObject({ code: 'previous_response_not_found', param: 'previous_response_id' });
  });

  test('the AI SDK gets text, a tool loop and a stream', async () => {
    const openai = createOpenAI({ baseURL: `${gateway.stack.url}/v1`, apiKey: gateway.stack.token });
    const providerOptions = { openai: { store: false } };
    const tools = {
      weather: tool({
        description: 'The weather in a city',
        inputSchema: z.object({ city: z.string() }),
        execute: async ({ city }) => `4 C in ${city}`,
      }),
    };
    const looped = await generateText({
      model: openai.responses(model),
      prompt: question,
      tools,
      stopWhen: isStepCount(3),
      providerOptions,
    });
    expect(looped.steps).toHaveLength(2);
    expect(looped.text).toContain('4 C in Rome');
    const streamed = streamText({ model: openai.responses(model), prompt: 'Hello', providerOptions });
    expect(await streamed.text).toBe((await client.responses.create(ask('Hello'))).output_text);
    expect((await streamed.usage).outputTokens).toBeGreaterThan(0);
  });

  test('the agents SDK runs a tool, whole and streamed', async () => {
    const asked: string[] = [];
    const agent = new Agent({
      name: 'Forecaster',
      instructions: 'Tell the weather.',
      model: new OpenAIResponsesModel(client, model),
      tools: [
        agentTool({
          name: 'weather',
          description: 'The weather in a city',
          parameters: z.object({ city: z.string() }),
          execute: async ({ city }) => {
            asked.push(city);
            return `4 C in ${city}`;
          },
        }),
      ],
    });
    const runner = new Runner({ tracingDisabled: true });
    const whole = await runner.run(agent, question);
    expect(whole.finalOutput).toContain('4 C in Rome');
    const streamed = await runner.run(agent, question, { stream: true });
    await streamed.completed;
    expect(streamed.finalOutput).toBe(whole.finalOutput);
    expect(asked).toEqual(['Oslo', 'Rome', 'Oslo', 'Rome']);
  });
});
