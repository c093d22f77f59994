import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { formats, providersAt } from '../stack/formats.ts';
import { type Simulated, startSimulated } from '../stack/simulated.ts';
import { openSocket, over } from './responses-socket.ts';

/*
 * Checks of the Open Responses compliance suite (release 2026-04-24), reimplemented, with the shapes of what they get. The titles
 * are the ids of the suite's checks. The grid has those of texts, images, instructions and several turns.
 */

const nullable = <T extends z.ZodType>(schema: T) => schema.nullable();
const integer = z.number().int();
const annotation = z.object({
  type: z.literal('url_citation'),
  url: z.string(),
  title: z.string(),
  start_index: integer,
  end_index: integer,
});
const itemStatus = z.enum(['in_progress', 'completed', 'incomplete']);
const outputText = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(annotation),
});
const item = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message'),
    id: z.string(),
    status: itemStatus,
    role: z.enum(['user', 'assistant', 'system', 'developer']),
    content: z.array(outputText),
  }),
  z.object({
    type: z.literal('function_call'),
    id: z.string(),
    status: itemStatus,
    call_id: z.string().min(1).max(64),
    name: z.string(),
    arguments: z.string(),
  }),
  z.object({
    type: z.literal('reasoning'),
    id: z.string(),
    summary: z.array(z.object({ type: z.literal('summary_text'), text: z.string() })),
    encrypted_content: z.string().optional(),
  }),
  z.object({ type: z.literal('compaction'), id: z.string(), encrypted_content: z.string() }),
]);
const tool = z.object({
  type: z.literal('function'),
  name: z.string(),
  description: nullable(z.string()),
  parameters: nullable(z.record(z.string(), z.unknown())),
  strict: nullable(z.boolean()),
});
const usage = z.object({
  input_tokens: integer,
  input_tokens_details: z.object({ cached_tokens: integer }),
  output_tokens: integer,
  output_tokens_details: z.object({ reasoning_tokens: integer }),
  total_tokens: integer,
});
const response = z.object({
  id: z.string(),
  object: z.literal('response'),
  created_at: integer,
  completed_at: nullable(integer),
  status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
  error: nullable(z.object({ code: z.string(), message: z.string() })),
  incomplete_details: nullable(z.object({ reason: z.string() })),
  instructions: nullable(z.string()),
  model: z.string(),
  previous_response_id: nullable(z.string()),
  output: z.array(item),
  parallel_tool_calls: z.boolean(),
  tools: z.array(tool),
  tool_choice: z.union([z.enum(['none', 'auto', 'required']), z.object({ type: z.string() })]),
  temperature: z.number(),
  top_p: z.number(),
  top_logprobs: integer,
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  truncation: z.enum(['auto', 'disabled']),
  text: z.object({
    format: z.object({ type: z.string() }),
    verbosity: z.enum(['low', 'medium', 'high']).optional(),
  }),
  reasoning: nullable(z.object({ effort: nullable(z.string()), summary: nullable(z.string()) })),
  max_output_tokens: nullable(integer),
  max_tool_calls: nullable(integer),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: z.string(),
  metadata: z.record(z.string(), z.string()),
  safety_identifier: nullable(z.string()),
  prompt_cache_key: nullable(z.string()),
  usage: nullable(usage),
});
type Response = z.infer<typeof response>;

const number = { sequence_number: integer };
const place = { ...number, item_id: z.string(), output_index: integer };
const content = { ...place, content_index: integer };
const part = z.object({ type: z.literal('output_text') });
const logprobs = { logprobs: z.array(z.unknown()) };
const types = <T extends string>(...names: T[]) => z.enum(names.map(name => `response.${name}`));
/** The known events; an event of another type fails. */
const event = z.union([
  z.object({
    type: types('created', 'queued', 'in_progress', 'completed', 'incomplete', 'failed'),
    response,
    ...number,
  }),
  z.object({ type: types('output_item.added', 'output_item.done'), output_index: integer, item, ...number }),
  z.object({ type: types('content_part.added', 'content_part.done'), part, ...content }),
  z.object({ type: types('output_text.delta'), delta: z.string(), ...logprobs, ...content }),
  z.object({ type: types('output_text.done'), text: z.string(), ...logprobs, ...content }),
  z.object({ type: types('function_call_arguments.delta'), delta: z.string(), ...place }),
  z.object({ type: types('function_call_arguments.done'), arguments: z.string(), ...place }),
  z.object({
    type: z.literal('error'),
    error: z.object({
      type: z.string(),
      code: nullable(z.string()),
      message: z.string(),
      param: nullable(z.string()),
    }),
  }),
]);

let gateway: Simulated;
beforeAll(async () => {
  const models = formats.map(provider => ({ name: provider, targets: [{ provider, model: 'sim-fast' }] }));
  gateway = await startSimulated(url => ({ providers: providersAt(url), models }));
});
afterAll(() => gateway?.stop());

const user = (content: unknown) => ({ type: 'message', role: 'user', content });
const weather = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather at a place',
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
};

function post(path: string, body: unknown) {
  return fetch(`${gateway.stack.url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.stack.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function create(body: Record<string, unknown>): Promise<Response> {
  const got = await post('/responses', body);
  expect(got.status).toBe(200);
  return response.parse(await got.json());
}

/** A connection on which one turn follows another, each of whose events is checked. */
async function connect(model: string) {
  const { socket, send, next } = await openSocket(gateway.stack);
  onTestFinished(() => socket.terminate());
  const invalid: unknown[] = [];
  socket.on('message', data => {
    const { error } = event.safeParse(JSON.parse(String(data)));
    if (error) invalid.push(String(data), error.issues);
  });
  return async (body: object) => {
    send({ model, store: false, ...body });
    const last = await next(over);
    expect(invalid).toEqual([]);
    return last;
  };
}

describe.each(formats)('Open Responses over an upstream of %s', model => {
  const done = { response: { status: 'completed' } };

  test('streaming-response', async () => {
    const got = await post('/responses', { model, input: [user('Count from 1 to 5.')], stream: true });
    expect(got.headers.get('content-type')).toContain('text/event-stream');
    const frames = (await got.text()).split('\n\n').filter(frame => frame !== '');
    expect(frames.pop()).toBe('data: [DONE]');
    const events = frames.map(frame => {
      const [name, data, ...more] = frame.split('\n') as [string, string];
      expect(more).toEqual([]);
      const told = event.parse(JSON.parse(data.slice('data: '.length)));
      expect(name).toBe(`event: ${told.type}`);
      return told;
    });
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', ...done });
  });

  test('websocket-continuation', async () => {
    const turn = await connect(model);
    const first = await turn({ input: [user('My number is 42.')] });
    expect(first).toMatchObject(done);
    const previous_response_id = first.response?.id;
    const second = await turn({ previous_response_id, input: 'Which number?' });
    expect(second).toMatchObject({ response: { status: 'completed', previous_response_id } });
    expect(gateway.simulator.requests.at(-1)?.body).toContain('My number is 42.');
  });

  const lost = { error: { code: 'previous_response_not_found' } };

  test('websocket-reconnect-store-false-recovery', async () => {
    const { response } = await (await connect(model))({ input: [user('Hi')] });
    const turn = await connect(model);
    expect(await turn({ previous_response_id: response?.id, input: 'More' })).toMatchObject(lost);
    expect(await turn({ input: [user('Anew')] })).toMatchObject(done);
  });

  test('websocket-failed-continuation-evicts-cache', async () => {
    const turn = await connect(model);
    const { response } = await turn({ input: [user('Hi')] });
    const previous = { previous_response_id: response?.id };
    const output = { type: 'function_call_output', call_id: 'call_nobody', output: 'x' };
    expect((await turn({ ...previous, input: [output] })).error).toBeDefined();
    expect(await turn({ ...previous, input: 'More' })).toMatchObject(lost);
  });

  test('websocket-compact-new-chain', async () => {
    const got = await post('/responses/compact', { model, input: [user('My name is Ada.')] });
    expect(got.status).toBe(200);
    const { output } = (await got.json()) as { output: unknown[] };
    const turn = await connect(model);
    expect(await turn({ input: [...output, user('Who am I?')], tools: [] })).toMatchObject(done);
    expect(gateway.simulator.requests.at(-1)?.body).toContain('The conversation so far, in a summary');
  });

  test('tool-calling', async () => {
    const got = await create({ model, input: [user("What's the weather in Paris?")], tools: [weather] });
    expect(got.output.some(({ type }) => type === 'function_call')).toBe(true);
  });

  test('compact-response', async () => {
    const got = await post('/responses/compact', { model, input: [user('Hi')], prompt_cache_key: 'k' });
    expect(got.status).toBe(200);
    const compaction = z.object({
      id: z.string(),
      object: z.literal('response.compaction'),
      created_at: integer,
      output: z.array(item),
      usage,
    });
    const { output } = compaction.parse(await got.json());
    expect(output.some(({ type }) => type === 'compaction')).toBe(true);
  });

  test('compact-missing-model', async () => {
    const got = await post('/responses/compact', { input: [user('Hi')] });
    expect([400, 422]).toContain(got.status);
  });

  test('previous-response-id over HTTP, and a call that comes back', async () => {
    const first = await create({ model, input: [user('The weather in Paris?')], tools: [weather] });
    const call = first.output.find(({ type }) => type === 'function_call');
    if (call?.type !== 'function_call') throw new Error('no call');
    const output = { type: 'function_call_output', call_id: call.call_id, output: '4 C' };
    const next = await create({ model, previous_response_id: first.id, input: [output], tools: [weather] });
    expect(next).toMatchObject({ status: 'completed', previous_response_id: first.id });
    const nobody = { ...output, call_id: 'call_nobody' };
    const refused = await post('/responses', { model, previous_response_id: next.id, input: [nobody] });
    expect(refused.status).toBe(400);
  });
});
