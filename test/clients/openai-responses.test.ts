import { createOpenAI } from '@ai-sdk/openai';
import { startSimulator } from '@model-gateway/simulator';
import { readFrames, readResponse } from '@model-gateway/wire/testing/response-reader';
import { Agent, tool as agentTool, OpenAIResponsesModel, Runner } from '@openai/agents';
import { generateText, isStepCount, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startStack } from '../stack/stack.ts';
import { type FourUpstreams, startFourUpstreams, upstreams } from './four-upstreams.ts';

let gateway: FourUpstreams;
let client: OpenAI;

beforeAll(async () => {
  gateway = await startFourUpstreams();
  client = new OpenAI({ baseURL: `${gateway.stack.url}/v1`, apiKey: gateway.stack.token, maxRetries: 0 });
});
afterAll(() => gateway?.stop());

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const weather = {
  type: 'function' as const,
  name: 'weather',
  description: 'The weather in a city',
  parameters,
  strict: true,
};
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

function callsOf({ output }: OpenAI.Responses.Response) {
  return output.flatMap(item => (item.type === 'function_call' ? [item] : []));
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

  test('two calls and their results work, whole and streamed', async () => {
    const request = { ...ask(question), tools: [weather] };
    for (const answer of [
      await client.responses.create(request),
      await client.responses.stream(request).finalResponse(),
    ]) {
      const calls = callsOf(answer);
      expect(calls.map(call => JSON.parse(call.arguments).city)).toEqual(['Oslo', 'Rome']);
      const results = calls.map(({ call_id }) => ({
        type: 'function_call_output' as const,
        call_id,
        output: '4 C',
      }));
      const input = [{ role: 'user' as const, content: question }, ...answer.output, ...results];
      const next = await client.responses.create({
        ...request,
        input: input as OpenAI.Responses.ResponseInput,
      });
      expect(next.output_text).toContain('weather({"city":"Rome"}) gave 4 C');
    }
  });

  test.each<[Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming>, number]>([
    [{ tool_choice: 'none' }, 0],
    [{ tool_choice: 'required' }, 2],
    [{ tool_choice: { type: 'function', name: 'weather' } }, 2],
    [
      {
        tool_choice: {
          type: 'allowed_tools',
          mode: 'required',
          tools: [{ type: 'function', name: 'weather' }],
        },
      },
      2,
    ],
    [{ parallel_tool_calls: false }, 1],
  ])('the tool options %j are followed', async (choice, count) => {
    const answer = await client.responses.create({
      ...ask(question),
      tools: [weather],
      ...choice,
      stream: false,
    });
    // Gemini has no option for one call at a time, and the gateway drops none of its calls.
    const serial = choice.parallel_tool_calls === false && upstream === 'generate-content';
    expect(callsOf(answer)).toHaveLength(serial ? 2 : count);
  });

  test('custom and namespaced tools are called as such', async () => {
    const custom = { type: 'custom' as const, name: 'note', description: 'Writes a note' };
    const noted = await client.responses.create({
      ...ask('Note Oslo'),
      tools: [custom],
      tool_choice: 'required',
    });
    const [note] = noted.output.filter(({ type }) => type === 'custom_tool_call');
    expect(note).toMatchObject({ type: 'custom_tool_call', name: 'note', input: expect.stringMatching(/./) });
    const namespace = { type: 'namespace' as const, name: 'earth', description: 'Earth', tools: [weather] };
    const stream = await post({ ...ask(question), tools: [namespace] });
    const output = readResponse(stream).output as { type: string }[];
    expect(output.filter(({ type }) => type !== 'reasoning')).toMatchObject([
      { type: 'function_call', name: 'weather', namespace: 'earth' },
      { type: 'function_call', name: 'weather', namespace: 'earth' },
    ]);
  });

  test('responses.parse returns JSON that follows a schema', async () => {
    const schema = z.object({ name: z.string(), stars: z.int().min(1).max(5) });
    const parsed = await client.responses.parse({
      ...ask('Rate it'),
      text: { format: zodTextFormat(schema, 'rating') },
    });
    expect(schema.parse(parsed.output_parsed)).toBeDefined();
  });

  test('reasoning has a summary and tokens, and is sent back upstream', async () => {
    const request = { ...ask('Hello'), reasoning: { effort: 'high' as const, summary: 'auto' as const } };
    const whole = await client.responses.create({ ...request, include: ['reasoning.encrypted_content'] });
    const [reasoning] = whole.output;
    if (reasoning?.type !== 'reasoning') throw new Error('no reasoning');
    expect(reasoning.summary[0]?.text).toMatch(/./);
    expect(whole.usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0);
    const streamed = readResponse(await post(request));
    expect((streamed.output as object[]).slice(0, 2)).toMatchObject([
      { type: 'reasoning', summary: reasoning.summary },
      { type: 'message' },
    ]);
    const input = [
      { role: 'user' as const, content: 'Hello' },
      ...whole.output,
      { role: 'user' as const, content: 'And?' },
    ];
    await client.responses.create({ ...request, input: input as OpenAI.Responses.ResponseInput });
    const { messages, contents } = gateway.received();
    if (upstream === 'generate-content') {
      const proof = whole.output.findLast(
        ({ type }) => type === 'reasoning',
      ) as OpenAI.Responses.ResponseReasoningItem;
      expect(JSON.stringify(contents)).toContain(
        `"thoughtSignature":"${proof.encrypted_content?.slice('gg:'.length)}"`,
      );
      return;
    }
    const [, said] = messages as { content: unknown }[];
    if (upstream === 'messages') {
      expect(reasoning.encrypted_content).toMatch(/^am:/);
      const signature = reasoning.encrypted_content?.slice('am:'.length);
      expect(said?.content).toMatchObject([
        { type: 'thinking', thinking: reasoning.summary[0]?.text, signature },
        {},
      ]);
    } else expect(said).toMatchObject({ reasoning_content: reasoning.summary[0]?.text });
  });

  test('a refusal and a truncated response have the status of the format', async () => {
    const refusal = await client.responses.create(ask('Please refuse'));
    // Gemini has no field for a refusal.
    expect(refusal.status).toBe(upstream === 'generate-content' ? 'incomplete' : 'completed');
    const cut = await client.responses.stream({ ...ask('Hello'), max_output_tokens: 2 }).finalResponse();
    expect(cut).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    expect(cut.output.at(-1)).toMatchObject({ status: 'incomplete' });
  });

  test('a truncated stream ends in an error and a failed response', async () => {
    const text = await post({ model: `${upstream}/fault-truncate`, input: 'Hello' });
    expect(readResponse(text)).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
    expect(readFrames(text).some(({ type }) => type === 'response.completed')).toBe(false);
    const stream = await client.responses.create({
      model: `${upstream}/fault-truncate`,
      input: 'Hello',
      stream: true,
    });
    await expect(Array.fromAsync(stream)).rejects.toThrow(OpenAI.APIError);
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

  test('a field that the upstream’s format cannot express is refused by the client’s name for it', async () => {
    const tools = [{ type: 'code_interpreter' as const, container: { type: 'auto' as const } }];
    const error = await client.responses.create({ ...ask('x'), tools }).catch(e => e);
    expect(error).toMatchObject({ status: 400, param: 'tools', type: 'invalid_request_error' });
    const logprobs = await client.responses.create({ ...ask('x'), top_logprobs: 2 }).catch(e => e);
    expect(logprobs).toMatchObject({ status: 400, param: 'top_logprobs' });
  });

  test('a client that disconnects closes the upstream', async () => {
    const stream = await client.responses.create({
      model: `${upstream}/sim-t1000-i20ms`,
      input: 'Hello',
      stream: true,
    });
    for await (const event of stream) {
      if (event.type !== 'response.output_text.delta') continue;
      expect(gateway.simulator.openStreams()).toBe(1);
      stream.controller.abort();
    }
    await expect.poll(() => gateway.simulator.openStreams()).toBe(0);
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

describe('responses with an upstream of the same format', () => {
  test('responses pass through unchanged, and a stream that breaks ends with matching events', async () => {
    const simulator = await startSimulator();
    const stack = await startStack({
      catalog: {
        providers: [
          { name: 'sim', kind: 'openai-compatible', api: 'responses', baseUrl: `${simulator.url}/v1` },
        ],
        models: [{ name: '*', targets: [{ provider: 'sim', model: '*' }] }],
      },
    });
    try {
      const own = new OpenAI({ baseURL: `${stack.url}/v1`, apiKey: stack.token, maxRetries: 0 });
      const whole = await own.responses.create({ model: 'sim-fast', input: 'Hello' });
      expect(whole).toMatchObject({ status: 'completed', store: true });
      const streamed = await own.responses.stream({ model: 'sim-fast', input: 'Hello' }).finalResponse();
      expect(streamed.output_text).toBe(whole.output_text);
      const response = await fetch(`${stack.url}/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${stack.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'fault-truncate', input: 'Hello', stream: true }),
      });
      const events = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, data]) =>
        JSON.parse(data ?? ''),
      );
      expect(events.map(event => event.sequence_number)).toEqual(events.map((_, i) => i));
      expect(events.slice(-2).map(({ type }) => type)).toEqual(['error', 'response.failed']);
      expect(events.at(-1).response.id).toBe(events[0].response.id);
    } finally {
      await stack.stop();
      await simulator.close();
    }
  });
});
