import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import type {
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
  Tool,
} from 'openai/resources/responses/responses';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type StartedSimulator, startSimulator } from '../start.ts';

let simulator: StartedSimulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => simulator.close());

const model = 'sim-fast';
const weather: Tool = {
  type: 'function',
  name: 'get_weather',
  description: 'Current weather in a city',
  strict: true,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};
const sql: Tool = { type: 'custom', name: 'run_sql', description: 'Runs a query' };
const question = 'What is the weather in Oslo and Rome?';
type Asked = Omit<ResponseCreateParamsNonStreaming, 'model' | 'stream'>;

/** Makes a request whole and streamed, and expects the same answer both ways. */
async function both(request: Asked) {
  const whole = await client.responses.create({ model, ...request });
  const folded = await client.responses.stream({ model, ...request }).finalResponse();
  expect(essence(folded)).toEqual(essence(whole));
  return whole;
}

/** Without ids, and without what the client's helper adds. */
function essence({ output, status, usage, incomplete_details }: OpenAI.Responses.Response) {
  const left = (key: string, value: unknown) =>
    ['id', 'encrypted_content', 'parsed_arguments', 'parsed'].includes(key) ? undefined : value;
  return JSON.parse(JSON.stringify({ output, status, usage, incomplete_details }, left));
}

describe('the OpenAI client', () => {
  test('is answered in text', async () => {
    const { output, output_text, usage, ...rest } = await both({ input: 'What is the gateway?' });
    expect(rest).toMatchObject({ object: 'response', status: 'completed', model, store: true, error: null });
    expect(output).toEqual([
      {
        type: 'message',
        id: expect.stringMatching(/^msg_/),
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: output_text, annotations: [], logprobs: [] }],
      },
    ]);
    expect(output_text).toMatch(/^Model Gateway/);
    expect(usage).toEqual({
      input_tokens: 7,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: expect.any(Number),
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 7 + (usage?.output_tokens ?? 0),
    });
  });

  test('heeds instructions wherever they stand', async () => {
    const input = 'What is the gateway?';
    const answers = [
      await both({ input, instructions: 'Answer in five words.' }),
      await both({
        input: [
          { role: 'developer', content: 'Answer in five words.' },
          { role: 'user', content: [{ type: 'input_text', text: input }] },
        ],
      }),
    ];
    for (const { output_text } of answers) expect(output_text.split(' ')).toHaveLength(5);
  });

  test('calls functions and answers from their outputs, with reasoning given back', async () => {
    const asked: Asked = {
      input: question,
      tools: [weather, sql],
      store: false,
      reasoning: { effort: 'low', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    };
    const { output } = await both(asked);
    expect(output).toMatchObject([
      { type: 'reasoning', summary: [{ type: 'summary_text' }], encrypted_content: expect.any(String) },
      { type: 'function_call', name: 'get_weather', arguments: '{"city":"Oslo"}', status: 'completed' },
      { type: 'function_call', name: 'get_weather', arguments: '{"city":"Rome"}', status: 'completed' },
    ]);
    const results = output.flatMap((item): ResponseInputItem[] =>
      item.type === 'function_call'
        ? [{ type: 'function_call_output', call_id: item.call_id, output: '4 C' }]
        : [],
    );
    const input = [{ role: 'user', content: question }, ...output, ...results] as ResponseInputItem[];
    const answer = await both({ ...asked, input });
    expect(answer.output_text).toContain('get_weather({"city":"Oslo"}) gave 4 C');
    const alone = await both({ ...asked, parallel_tool_calls: false });
    expect(alone.output).toHaveLength(2);
  });

  test('continues a response that is stored, and refers to its items', async () => {
    const first = await client.responses.create({
      model,
      input: 'What is the weather in Oslo?',
      tools: [weather],
    });
    const [call] = first.output;
    if (call?.type !== 'function_call') throw new Error('no call');
    const results: ResponseInputItem[] = [
      { type: 'function_call_output', call_id: call.call_id, output: '4 C' },
    ];
    const continued = await both({ input: results, previous_response_id: first.id });
    const referred = await both({
      input: [
        { role: 'user', content: 'Weather?' },
        { type: 'item_reference', id: call.id as string },
        ...results,
      ],
    });
    for (const { output_text } of [continued, referred]) expect(output_text).toContain('gave 4 C');
    const unstored = await client.responses.create({ model, input: 'Hi', store: false });
    await expect(
      client.responses.create({ model, input: 'And?', previous_response_id: unstored.id }),
    ).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' });
  });

  test('gives a custom tool text, and a tool in a namespace both names', async () => {
    const custom = await both({ input: 'Run a query: select 1', tools: [sql] });
    expect(custom.output).toMatchObject([
      { type: 'custom_tool_call', name: 'run_sql', input: 'Run a query: select 1' },
    ]);
    const namespace = { type: 'namespace' as const, name: 'home', description: 'd', tools: [weather] };
    const inside = await both({ input: 'What is the weather in Oslo?', tools: [namespace] });
    expect(inside.output).toMatchObject([
      { type: 'function_call', name: 'get_weather', namespace: 'home', arguments: '{"city":"Oslo"}' },
    ]);
  });

  test.each<[Asked['tool_choice'], string | undefined]>([
    ['none', undefined],
    ['auto', undefined],
    ['required', 'run_sql'],
    [{ type: 'function', name: 'get_weather' }, 'get_weather'],
    [{ type: 'custom', name: 'run_sql' }, 'run_sql'],
    [
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'get_weather' }] },
      'get_weather',
    ],
  ])('chooses a tool by %j', async (tool_choice, name) => {
    const { output } = await both({ input: 'I like turtles', tools: [sql, weather], tool_choice });
    const [item] = output;
    expect(item && 'name' in item ? item.name : undefined).toBe(name);
  });

  test('gets JSON to a schema', async () => {
    const person = z.strictObject({ name: z.string(), age: z.int().min(18) });
    const format = zodTextFormat(person, 'person');
    const parsed = await client.responses.parse({ model, input: 'Who is Ada?', text: { format } });
    person.parse(parsed.output_parsed);
    const plain = await both({ input: 'Who, in JSON?', text: { format: { type: 'json_object' } } });
    expect(JSON.parse(plain.output_text)).toEqual(expect.any(Object));
  });

  test('is refused in words', async () => {
    const { output } = await both({ input: 'Please refuse' });
    expect(output).toMatchObject([
      { type: 'message', content: [{ type: 'refusal', refusal: expect.stringContaining('not help') }] },
    ]);
  });

  test.each([
    ['What is the gateway?', 16, 'max_output_tokens'],
    ['Something forbidden', undefined, 'content_filter'],
  ])('%s: incomplete', async (input, max_output_tokens, reason) => {
    const answer = await both({ input, ...(max_output_tokens && { max_output_tokens }) });
    expect(answer).toMatchObject({ status: 'incomplete', incomplete_details: { reason } });
    if (max_output_tokens) expect(answer.output).toMatchObject([{ status: 'incomplete' }]);
  });

  test('gets likelihoods', async () => {
    const include = ['message.output_text.logprobs' as const];
    const { output, output_text } = await both({ input: 'Hello', include, top_logprobs: 2 });
    const [message] = output;
    const part = message?.type === 'message' ? message.content[0] : undefined;
    const tokens = part?.type === 'output_text' ? (part.logprobs ?? []) : [];
    expect(tokens.map(({ token }) => token).join('')).toBe(output_text);
    for (const { top_logprobs } of tokens) expect(top_logprobs).toHaveLength(2);
  });

  test('searches the web', async () => {
    const { output } = await both({ input: 'Search for the gateway', tools: [{ type: 'web_search' }] });
    expect(output).toMatchObject([
      { type: 'web_search_call', status: 'completed' },
      { type: 'message', content: [{ annotations: [{ type: 'url_citation' }] }] },
    ]);
  });

  test('reads from the cache what was read before', async () => {
    const input = 'word '.repeat(2_000);
    await client.responses.create({ model, input });
    const { usage } = await client.responses.create({ model, input });
    expect(usage?.input_tokens_details.cached_tokens).toBeGreaterThan(1_024);
  });

  test('counts tokens', async () => {
    const count = await client.responses.inputTokens.count({ model, input: 'What is the gateway?' });
    expect(count).toMatchObject({ object: 'response.input_tokens', input_tokens: 7 });
  });

  test.each([
    ['fault-400', OpenAI.BadRequestError],
    ['fault-401', OpenAI.AuthenticationError],
    ['fault-429', OpenAI.RateLimitError],
    ['fault-529', OpenAI.InternalServerError],
  ])('%s is thrown', async (name, error) => {
    await expect(client.responses.create({ model: name, input: 'Hi' })).rejects.toThrow(error);
  });

  test('an error in the middle of a stream is thrown', async () => {
    const stream = client.responses.stream({ model: 'fault-error', input: 'Hi' });
    await expect(stream.finalResponse()).rejects.toThrow(/asks for a failure/);
  });

  test('is refused with a key that is not valid', async () => {
    const refused = client.withOptions({ apiKey: 'invalid' });
    await expect(refused.responses.create({ model, input: 'Hi' })).rejects.toThrow(
      OpenAI.AuthenticationError,
    );
  });
});
