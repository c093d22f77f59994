import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { post } from './post.ts';

let stack: Stack;
let upstream: Server;
/** The last request that the upstream received. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks at what it expects
let sent: any;

const call = (name: string, id: string, args: unknown) => ({
  ...{ index: 0, id, type: 'function', function: { name, arguments: args } },
});
const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, finish_reason: string | null = null) =>
  data({
    id: 'c',
    object: 'chat.completion.chunk',
    model: 'up',
    choices: [{ index: 0, delta, finish_reason }],
  });
const message = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'up', stop_reason: 'end_turn' },
  ...{ content: [{ type: 'text', text: 'ok' }], usage: { input_tokens: 1, output_tokens: 1 } },
};
/** The upstream names its call `call_0` in each turn, and writes between two pieces of it. */
const called = [
  chunk({ tool_calls: [call('get', 'call_0', {})] }),
  chunk({ tool_calls: [{ index: 0, id: ' ', function: { arguments: '{"q":' } }] }),
  chunk({ content: 'Hm.' }),
  chunk({ tool_calls: [{ index: 0, id: 'b7', function: { arguments: '"1"}' } }] }),
  `${chunk({}, 'tool_calls')}data: [DONE]\n\n`,
].join('');
const completion = {
  ...{ id: 'c', object: 'chat.completion', model: 'up' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
};

beforeAll(async () => {
  upstream = createServer(async (request, response) => {
    sent = JSON.parse(await text(request));
    const answer = request.url?.includes('messages') ? message : sent.stream ? called : completion;
    const type = typeof answer === 'string' ? 'text/event-stream' : 'application/json';
    response.writeHead(200, { 'content-type': type });
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  stack = await startStack({
    catalog: {
      providers: [
        { name: 'chat', kind: 'openai-compatible', baseUrl },
        { name: 'messages', kind: 'anthropic', baseUrl },
      ],
      models: ['chat', 'messages'].map(name => ({ name, targets: [{ provider: name, model: 'up' }] })),
    },
  });
});

afterAll(async () => {
  await stack?.stop();
  upstream?.close();
});

const paths = { chat: '/v1/chat/completions', messages: '/v1/messages', responses: '/v1/responses' };
const ask = (client: keyof typeof paths, model: string, body: object) =>
  post(stack, paths[client], { model, ...(client === 'messages' && { max_tokens: 9 }), ...body });

const use = (id: string) => ({ type: 'tool_use', id, name: 'get', input: {} });
const result = (tool_use_id: string) => ({ type: 'tool_result', tool_use_id, content: 'x' });
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const asks = (...tool_calls: object[]) => ({ role: 'assistant', content: '\n\n', tool_calls });
const tells = (id: string) => ({ role: 'tool', tool_call_id: id, content: null });

describe('an answer', () => {
  const tools = [{ name: 'get', input_schema: { type: 'object' } }];

  test('has its call in one piece, with an id that its conversation lacks', async () => {
    const messages = [user('a'), assistant([use('call_0')]), user([result('call_0')])];
    const { json } = await ask('messages', 'chat', { messages, tools });
    const id = expect.stringMatching(/^call_[0-9a-f]{24}$/);
    expect(json.content).toMatchObject([
      { ...use('x'), id, input: { q: '1' } },
      { type: 'text', text: 'Hm.' },
    ]);
  });
});

describe('a history', () => {
  const turns = [
    user('a'),
    asks(call('get', 'c', '{"q":')),
    tells('c'),
    asks(call('get', 'c', '{}')),
    tells('c'),
  ];

  test('with cut arguments, blank texts, null and ids that repeat is taken by Anthropic', async () => {
    const { status } = await ask('chat', 'messages', { messages: [...turns, user(' ')] });
    expect(status).toBe(200);
    expect(sent.messages).toEqual([
      user([{ type: 'text', text: 'a' }]),
      assistant([{ ...use('c'), input: { _raw: '{"q":' } }]),
      user([{ ...result('c'), content: '' }]),
      assistant([use('c_2')]),
      user([{ ...result('c_2'), content: '' }]),
    ]);
  });

  test('with cut arguments and null is mended where it is passed on', async () => {
    const { status } = await ask('chat', 'chat', { messages: turns });
    expect(status).toBe(200);
    expect(sent.messages[1].tool_calls[0].function.arguments).toBe('{"_raw":"{\\"q\\":"}');
    expect(sent.messages[2].content).toBe('');
  });

  test('of messages that the vendor would refuse is mended where it is passed on', async () => {
    const turn = [assistant([use('c')]), user([result('c'), { type: 'text', text: ' ' }])];
    const { status } = await ask('messages', 'messages', { messages: [user('a'), ...turn, ...turn] });
    expect(status).toBe(200);
    expect(sent.messages.slice(3)).toEqual([assistant([use('c_2')]), user([result('c_2')])]);
  });

  test('of responses that are sent again beside the stored one has each call once', async () => {
    const tools = [{ type: 'function', name: 'get', parameters: { type: 'object' } }];
    const { json } = await ask('responses', 'chat', { input: 'a', tools });
    const { call_id } = json.output.find(({ type }: { type: string }) => type === 'function_call');
    const input = [...json.output, { type: 'function_call_output', call_id, output: 'x' }];
    const { status } = await ask('responses', 'chat', { previous_response_id: json.id, input, tools });
    expect(status).toBe(200);
    const calls = sent.messages.flatMap((each: { tool_calls?: object[] }) => each.tool_calls ?? []);
    expect(calls).toHaveLength(1);
  });
});
