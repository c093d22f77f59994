import { readResponse } from '@model-gateway/formats/testing/response-reader';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FourUpstreams, startFourUpstreams, upstreams } from './four-upstreams.ts';
import { type Agent, detours, found, type Kept, sendTurn } from './session.ts';

let gateway: FourUpstreams;

beforeAll(async () => {
  gateway = await startFourUpstreams();
});
afterAll(() => gateway?.stop());

type Item = Record<string, unknown> & { type: string };

const text = (role: string, said: string) => ({
  type: 'message',
  id: `msg_${said.length}`,
  role,
  content: [{ type: 'input_text', text: said }],
  internal_chat_message_metadata_passthrough: { turn: '1' },
});
const tool = (name: string, field: string) => ({
  type: 'function',
  name,
  description: `Runs ${name}`,
  strict: false,
  parameters: {
    type: 'object',
    properties: { [field]: { type: 'string' } },
    required: [field],
    additionalProperties: false,
  },
});
const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch"' };
const namespace = {
  type: 'namespace',
  name: 'agents',
  description: 'Agents',
  tools: [tool('spawn', 'task')],
};
const tools = [
  tool('weather', 'city'),
  { type: 'custom', name: 'apply_patch', description: 'Edits files', format: grammar },
  { type: 'tool_search', execution: 'client', description: 'Finds tools', parameters: { type: 'object' } },
  { type: 'web_search', external_web_access: false },
];
const fields = {
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { effort: 'medium', summary: 'auto' },
  store: false,
  stream: true,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '0199-session',
  text: { verbosity: 'low' },
  client_metadata: { installation: '1' },
};

const agent: Agent = {
  format: 'responses',
  path: () => '/v1/responses',
  headers: token => ({
    authorization: `Bearer ${token}`,
    accept: 'text/event-stream',
    originator: 'codex_exec',
    'session-id': '0199-session',
  }),
};

/** Sends the whole conversation as the agent does, and keeps the completed items. */
async function send(model: string, input: Item[], more: object): Promise<Item[]> {
  const stream = await sendTurn(gateway, agent, model, { model, input, ...fields, ...more }, kept(input));
  // A response that is not translated is passed on unchanged.
  if (!model.startsWith('responses/')) readResponse(stream);
  const events = [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data as string));
  expect(events.at(-1)).toMatchObject({
    type: 'response.completed',
    response: { status: 'completed', store: false },
  });
  return events.flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item as Item] : []));
}

function kept(items: Item[]): Kept {
  const calls = items.filter(({ type }) => type === 'function_call' || type === 'custom_tool_call');
  return { calls: found(calls, 'call_id'), proofs: found(items, 'encrypted_content', 'reasoning') };
}

/**
 * Items as the agent sends them back: reasoning has no id and status, and null where no text was returned.
 */
function sentBack(item: Item): Item {
  const { status: _, id, ...rest } = item;
  return item.type === 'reasoning' ? { ...rest, content: null } : { ...rest, id };
}

const begun = [
  text('developer', 'You are a coding agent.'),
  text('user', '<environment_context>sandbox</environment_context>'),
  text('user', 'What is the weather in Oslo and Rome?'),
];
const outputsOf = (items: Item[]): Item[] =>
  items.flatMap(({ type, call_id }) =>
    type === 'function_call' ? [{ type: 'function_call_output', call_id, output: '4 C' }] : [],
  );

describe.each(upstreams)('a session of Codex with an upstream of %s', upstream => {
  const model = `${upstream}/sim-fast`;

  test.each([
    ['beside the input', { tools }, []],
    ['within it', {}, [{ type: 'additional_tools', role: 'developer', tools: [...tools, namespace] }]],
  ])('tools that come %s are called, and their results are answered', async (_, more, brought) => {
    const history: Item[] = [...brought, ...begun];
    const first = await send(model, history, more);
    const calls = first.filter(({ type }) => type === 'function_call');
    expect(first[0]).toMatchObject({ type: 'reasoning', summary: [{ type: 'summary_text' }] });
    expect(calls.map(({ name }) => name)).toEqual(['weather', 'weather']);
    const second = await send(model, [...history, ...first.map(sentBack), ...outputsOf(first)], more);
    const [message] = second.filter(({ type }) => type === 'message');
    expect(JSON.stringify(message)).toContain('4 C');
  });

  test('a patch is free text in both directions', async () => {
    const only = { tools, tool_choice: { type: 'custom', name: 'apply_patch' } };
    const asked = [...begun.slice(0, 1), text('user', 'Patch the file')];
    const first = await send(model, asked, only);
    const [call] = first.filter(({ type }) => type === 'custom_tool_call');
    expect(call).toMatchObject({ name: 'apply_patch', input: expect.stringMatching(/./) });
    const output = { type: 'custom_tool_call_output', call_id: call?.call_id, output: 'Done' };
    const second = await send(model, [...asked, ...first.map(sentBack), output], { tools });
    expect(second.some(({ type }) => type === 'message')).toBe(true);
    expect(JSON.stringify(gateway.received())).toContain(JSON.stringify(call?.input).slice(1, -1));
  });
});

test.each(detours)(
  'a session of Codex with an upstream of %s continues with a turn answered by %s',
  async (one, other) => {
    const history: Item[] = [...begun];
    const first = await send(`${one}/claude-opus-4-6`, history, { tools });
    history.push(...first.map(sentBack), ...outputsOf(first));
    const second = await send(`${other}/claude-opus-4-6`, history, { tools });
    expect(JSON.stringify(second)).toContain('4 C');
    history.push(...second.map(sentBack), text('user', 'And what is the weather in Rome and Paris?'));
    const third = await send(`${one}/claude-opus-4-6`, history, { tools });
    expect(third.filter(({ type }) => type === 'function_call')).toHaveLength(2);
    // Chat has no field for signatures.
    expect(kept(first).proofs.length > 0).toBe(one !== 'chat');
  },
);
