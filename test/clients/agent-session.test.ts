import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FourUpstreams, startFourUpstreams, upstreams } from './four-upstreams.ts';
import { type Agent, detours, found, type Kept, sendTurn } from './session.ts';

let gateway: FourUpstreams;

beforeAll(async () => {
  gateway = await startFourUpstreams();
});
afterAll(() => gateway?.stop());

type Block = { type: string; id?: string; text?: string; input?: unknown; [field: string]: unknown };
type Turn = { role: string; content: string | Block[] };
type Event = { type: string; index?: number; [field: string]: unknown };

const betas = [
  'claude-code-20250219',
  'interleaved-thinking-2025-05-14',
  'context-management-2025-06-27',
  'prompt-caching-scope-2026-01-05',
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'mid-conversation-system-2026-04-07',
].join(',');
const mark = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const system = [
  { type: 'text', text: 'x-billing: cli; version=2.1' },
  { type: 'text', text: 'You are a coding agent.', ...mark },
  { type: 'text', text: 'Work in the folder of the project.', ...mark },
];
const tool = (name: string, description: string, field: string) => ({
  name,
  description,
  input_schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { [field]: { type: 'string' } },
    required: [field],
    additionalProperties: false,
  },
});
const tools = [
  tool('Read', 'Reads a file', 'file_path'),
  tool('Bash', 'Runs a command in a shell', 'command'),
];
const fields = {
  max_tokens: 32_000,
  system,
  tools,
  thinking: { type: 'adaptive', display: 'omitted' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  output_config: { effort: 'medium' },
  metadata: { user_id: `{"device_id":"${'0'.repeat(64)}","session_id":"1"}` },
  stream: true,
};
const image = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };

const agent: Agent = {
  format: 'messages',
  path: () => '/v1/messages?beta=true',
  headers: token => ({
    authorization: `Bearer ${token}`,
    'anthropic-version': '2023-06-01',
    'anthropic-beta': betas,
    'x-app': 'cli',
    'user-agent': 'claude-cli/2.1.329 (external, cli)',
  }),
};

/** Sends the conversation as the agent does, and parses the answer event by event. */
async function send(model: string, messages: Turn[]) {
  const body = { model, messages, ...fields };
  const text = await sendTurn(gateway, agent, model, body, kept(messages));
  return { body: JSON.stringify(body), ...fold(readEvents(text)) };
}

function kept(messages: Turn[]): Kept {
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return { calls: found(blocks, 'id', 'tool_use'), proofs: found(blocks, 'signature', 'thinking') };
}

function readEvents(text: string): Event[] {
  return text
    .split('\n\n')
    .filter(frame => frame.startsWith('event: '))
    .map(frame => {
      const [, name, data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
      const event = JSON.parse(data) as Event;
      expect(event.type).toBe(name);
      return event;
    })
    .filter(({ type }) => type !== 'ping');
}

/** The blocks of the events, of which only one may be open at a time. */
function fold(events: Event[]) {
  const content: Block[] = [];
  const input: string[] = [];
  let open: number | null = null;
  for (const event of events.slice(1, -2)) {
    if (event.type === 'content_block_start') {
      expect([open, event.index]).toEqual([null, content.length]);
      open = content.push({ ...(event.content_block as Block) }) - 1;
      input[open] = '';
      continue;
    }
    expect(event.index).toBe(open);
    const at = open ?? 0;
    const block = content[at] as Block;
    if (event.type === 'content_block_stop') {
      if (block.type === 'tool_use') block.input = JSON.parse(input[at] || '{}');
      open = null;
      continue;
    }
    expect(event.type).toBe('content_block_delta');
    const { type: _, partial_json: json, ...added } = event.delta as Record<string, string>;
    input[at] += json ?? '';
    for (const [field, piece] of Object.entries(added)) block[field] = `${block[field] ?? ''}${piece}`;
  }
  expect(open).toBeNull();
  expect([events[0], ...events.slice(-2)].map(event => event?.type)).toEqual([
    'message_start',
    'message_delta',
    'message_stop',
  ]);
  const { delta, usage } = events.at(-2) as Event & { usage: Record<string, number> };
  return { content, delta, usage };
}

/** The turns of a session of three requests, the second of which may go to another model. */
async function session(model: string, other = model) {
  const messages: Turn[] = [
    {
      role: 'user',
      content: [
        { type: 'text', text: '<system-reminder>The date is known.</system-reminder>' },
        { type: 'text', text: 'Read Oslo and Rome.', ...mark },
      ],
    },
    { role: 'system', content: 'The user is in a hurry.' },
  ];
  const first = await send(model, messages);
  const [one, two] = first.content.filter(({ type }) => type === 'tool_use');
  messages.push(
    { role: 'assistant', content: first.content },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: one?.id, is_error: true, content: 'File does not exist.' },
        {
          type: 'tool_result',
          tool_use_id: two?.id,
          content: [
            { type: 'text', text: 'A picture:' },
            { type: 'image', source: image },
          ],
          cache_control: { type: 'ephemeral' },
        },
      ],
    },
  );
  const second = await send(other, messages);
  messages.push(
    { role: 'assistant', content: second.content },
    { role: 'user', content: 'What is the gateway?' },
    { role: 'system', content: [{ type: 'text', text: 'Answer in five words.' }] },
  );
  const third = await send(model, messages);
  return { first, second, third };
}

const sent = (from: number) => gateway.simulator.requests.slice(from);
const textOf = (content: Block[]) => content.map(({ text }) => text ?? '').join('');

// In chat the image comes in a message of the user, which the simulator answers before the results.
const heard = {
  messages: /the error File does not exist\..*A picture:/s,
  chat: /1 attachment/,
  'generate-content': /the error File does not exist\..*A picture:/s,
  responses: /Error: File does not exist\..*A picture:/s,
};

describe.each(upstreams)('a session of a coding agent with an upstream of %s', upstream => {
  test.each(['sim-fast', 'claude-opus-4-6'])(
    'a session with the model %s is answered at every turn',
    async name => {
      const { first, second, third } = await session(`${upstream}/${name}`);
      expect(first.delta).toMatchObject({ stop_reason: 'tool_use' });
      expect(first.content.filter(({ type }) => type === 'tool_use')).toMatchObject([
        { name: 'Read', id: expect.stringMatching(/^[\w-]+$/), input: { file_path: expect.any(String) } },
        { name: 'Read', id: expect.stringMatching(/^[\w-]+$/), input: { file_path: expect.any(String) } },
      ]);
      expect(first.usage.output_tokens).toBeGreaterThan(0);
      expect(second.delta).toMatchObject({ stop_reason: 'end_turn' });
      expect(textOf(second.content)).toMatch(heard[upstream]);
      expect(textOf(third.content).split(' ')).toHaveLength(5);
      for (const { content } of [first, second, third])
        for (const block of content) if (block.type === 'text') expect(block.text).not.toBe('');
    },
  );
});

test.each(detours)(
  'a session with an upstream of %s continues with a turn answered by %s',
  async (one, other) => {
    const { first, second, third } = await session(`${one}/claude-opus-4-6`, `${other}/claude-opus-4-6`);
    expect(textOf(second.content)).toMatch(heard[other]);
    expect(textOf(third.content).split(' ')).toHaveLength(5);
    // Chat has no field for signatures.
    expect(found(first.content, 'signature', 'thinking').length > 0).toBe(one !== 'chat');
  },
);

test("a messages upstream gets the agent's text with the model replaced, and its betas", async () => {
  const from = gateway.simulator.requests.length;
  const { first, second, third } = await session('messages/sim-fast');
  expect(first.content[0]).toMatchObject({ type: 'thinking', thinking: '', signature: expect.any(String) });
  const requests = sent(from);
  expect(requests.map(({ body }) => body)).toEqual(
    [first, second, third].map(({ body }) => body.replace('messages/sim-fast', 'sim-fast')),
  );
  for (const { path, headers } of requests) {
    expect(path).toMatch(/^\/v1\/messages(\?beta=true)?$/);
    expect(headers).toMatchObject({ 'anthropic-beta': betas, 'anthropic-version': '2023-06-01' });
  }
});
