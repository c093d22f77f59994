import { startSimulator } from '@model-gateway/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { z } from 'zod';
import { formats, providersAt } from '../stack/formats.ts';
import { type Stack, startStack } from '../stack/stack.ts';

/*
 * The checks of the Open Responses compliance suite (release 2026-04-24), reimplemented. The titles are the ids of the
 * suite's checks.
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
    content: z.array(z.union([outputText, z.object({ type: z.literal('refusal'), refusal: z.string() })])),
    phase: z.enum(['commentary', 'final_answer']).nullish(),
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
const summary = { ...place, summary_index: integer };
const summaryPart = z.object({ type: z.literal('summary_text'), text: z.string() });
const part = z.object({ type: z.enum(['output_text', 'refusal', 'reasoning_text']) });
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
  z.object({
    type: types('output_text.annotation.added'),
    annotation,
    annotation_index: integer,
    ...content,
  }),
  z.object({ type: types('refusal.delta', 'reasoning.delta'), delta: z.string(), ...content }),
  z.object({ type: types('refusal.done'), refusal: z.string(), ...content }),
  z.object({ type: types('reasoning.done'), text: z.string(), ...content }),
  z.object({
    type: types('reasoning_summary_part.added', 'reasoning_summary_part.done'),
    part: summaryPart,
    ...summary,
  }),
  z.object({ type: types('reasoning_summary_text.delta'), delta: z.string(), ...summary }),
  z.object({ type: types('reasoning_summary_text.done'), text: z.string(), ...summary }),
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

let stack: Stack;
let simulator: Awaited<ReturnType<typeof startSimulator>>;
beforeAll(async () => {
  simulator = await startSimulator();
  const models = formats.map(provider => ({ name: provider, targets: [{ provider, model: 'sim-fast' }] }));
  stack = await startStack({ catalog: { providers: providersAt(simulator.url), models } });
});
afterAll(async () => {
  await stack.stop();
  await simulator.close();
});

const user = (content: unknown) => ({ type: 'message', role: 'user', content });
const weather = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather at a place',
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
};
const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function post(path: string, body: unknown) {
  return fetch(`${stack.url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function create(body: Record<string, unknown>): Promise<Response> {
  const got = await post('/responses', body);
  expect(got.status).toBe(200);
  return response.parse(await got.json());
}

/** The result of a turn over a WebSocket. */
interface Turn {
  response?: Response;
  error?: { code: string };
}

/** A WebSocket with one turn after another. */
class Client implements Disposable {
  readonly #socket = new WebSocket(`${stack.url.replace('http', 'ws')}/v1/responses`, {
    headers: { authorization: `Bearer ${stack.token}` },
  });
  readonly #open = new Promise((resolve, reject) => this.#socket.once('open', resolve).once('error', reject));

  async turn(body: Record<string, unknown>): Promise<Turn> {
    await this.#open;
    const over = new Promise<Turn>((resolve, reject) => {
      const fail = () => reject(new Error('closed before the end'));
      this.#socket.once('close', fail);
      this.#socket.on('message', data => {
        try {
          const told = event.parse(JSON.parse(String(data)));
          if ('error' in told) resolve({ error: told.error as { code: string } });
          if (/^response\.(completed|incomplete|failed)$/.test(told.type) && 'response' in told)
            resolve({ response: told.response });
        } catch (error) {
          reject(error);
        }
      });
    });
    this.#socket.send(JSON.stringify({ type: 'response.create', ...body }));
    return over.finally(() => this.#socket.removeAllListeners('message').removeAllListeners('close'));
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }
}

describe.each(formats)('Open Responses over an upstream of %s', model => {
  const done = { response: { status: 'completed' } };

  test('basic-response', async () => {
    const got = await create({ model, input: [user('Say hello in exactly 3 words.')] });
    expect(got.status).toBe('completed');
    expect(got.output).not.toEqual([]);
  });

  test('assistant-phase', async () => {
    const said = (phase: string, text: string) => ({
      type: 'message',
      role: 'assistant',
      phase,
      content: [{ type: 'output_text', text }],
    });
    const input = [user('Hi'), said('commentary', 'Looking.'), said('final_answer', 'Done.'), user('Thanks')];
    expect((await create({ model, input })).status).toBe('completed');
  });

  test('response-output-phase-schema', () => {
    const content = [{ type: 'output_text', text: 'x', annotations: [] }];
    const phased = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content };
    expect(item.safeParse({ ...phased, phase: 'final_answer' }).success).toBe(true);
    expect(item.safeParse({ ...phased, phase: 'other' }).success).toBe(false);
  });

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

  test('websocket-response', async () => {
    using client = new Client();
    expect(await client.turn({ model, input: [user('Hi')] })).toMatchObject(done);
  });

  test('websocket-sequential-responses', async () => {
    using client = new Client();
    for (const text of ['One', 'Two'])
      expect(await client.turn({ model, store: false, input: [user(text)] })).toMatchObject(done);
  });

  test('websocket-continuation', async () => {
    using client = new Client();
    const { response } = await client.turn({ model, store: false, input: [user('My number is 42.')] });
    const next = { model, store: false, previous_response_id: response?.id, input: 'Which number?' };
    expect(await client.turn(next)).toMatchObject({
      response: { status: 'completed', previous_response_id: response?.id },
    });
    expect(simulator.requests.at(-1)?.body).toContain('My number is 42.');
  });

  test('websocket-reconnect-store-false-recovery', async () => {
    using client = new Client();
    const { response } = await client.turn({ model, store: false, input: [user('Hi')] });
    using other = new Client();
    const lost = { model, store: false, previous_response_id: response?.id, input: 'More' };
    expect(await other.turn(lost)).toMatchObject({ error: { code: 'previous_response_not_found' } });
    expect(await other.turn({ model, store: false, input: [user('Anew')] })).toMatchObject(done);
  });

  test('websocket-previous-response-not-found', async () => {
    using client = new Client();
    const body = { model, store: false, previous_response_id: 'resp_made_up', input: 'x' };
    expect(await client.turn(body)).toMatchObject({ error: { code: 'previous_response_not_found' } });
  });

  test('websocket-failed-continuation-evicts-cache', async () => {
    using client = new Client();
    const { response } = await client.turn({ model, store: false, input: [user('Hi')] });
    const previous = { model, store: false, previous_response_id: response?.id };
    const output = { type: 'function_call_output', call_id: 'call_nobody', output: 'x' };
    expect((await client.turn({ ...previous, input: [output] })).error).toBeDefined();
    expect(await client.turn({ ...previous, input: 'More' })).toMatchObject({
      error: { code: 'previous_response_not_found' },
    });
  });

  test('websocket-compact-new-chain', async () => {
    const got = await post('/responses/compact', { model, input: [user('My name is Ada.')] });
    expect(got.status).toBe(200);
    const { output } = (await got.json()) as { output: unknown[] };
    using client = new Client();
    const input = [...output, user('Who am I?')];
    expect(await client.turn({ model, store: false, input, tools: [] })).toMatchObject(done);
    expect(simulator.requests.at(-1)?.body).toContain('The conversation so far, in a summary');
  });

  test('system-prompt', async () => {
    const input = [{ type: 'message', role: 'system', content: 'You are a pirate.' }, user('Hello')];
    expect((await create({ model, input })).status).toBe('completed');
  });

  test('tool-calling', async () => {
    const got = await create({ model, input: [user("What's the weather in Paris?")], tools: [weather] });
    expect(got.output.some(({ type }) => type === 'function_call')).toBe(true);
  });

  test('image-input', async () => {
    const parts = [
      { type: 'input_text', text: 'What is this?' },
      { type: 'input_image', image_url: picture },
    ];
    expect((await create({ model, input: [user(parts)] })).status).toBe('completed');
  });

  test('multi-turn', async () => {
    const said = { type: 'message', role: 'assistant', content: 'Hello Ada!' };
    const got = await create({ model, input: [user('I am Ada.'), said, user('Who am I?')] });
    expect(got.status).toBe('completed');
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
