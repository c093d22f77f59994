import type { GenerateFormat, GenerateRequest, Message } from '@model-gateway/canonical';
import { refusal } from '@model-gateway/canonical/testing/events';
import {
  bytes,
  cached,
  call,
  failed,
  file,
  link,
  media,
  opaque,
  png,
  redacted,
  result,
  says,
  signed,
  system,
  tells,
  text,
  thought,
  user,
} from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { expect, test } from 'vitest';
import { encodeInput, type InputFields } from '../testing/encode-input.ts';
import { chatDialect } from './dialect.ts';

type Fields = Partial<GenerateRequest>;
const hi = user('Hi');

function encode(fields: Fields = {}, more: InputFields = {}, format: GenerateFormat = 'messages') {
  const request = { messages: [hi], ...fields };
  return JSON.parse(
    chatDialect.encode(encodeInput({ model: 'up-1', request, ...more }, { format })).body.toString(),
  );
}
const sent = (messages: Message[], more: InputFields = {}) => encode({ messages }, more).messages;

test("a request is streamed with usage, under the upstream's model name", () => {
  expect(encode()).toEqual({
    model: 'up-1',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
    stream_options: { include_usage: true },
  });
  expect(encode({}, { drop: ['stream', 'stream_options'] })).not.toHaveProperty('stream');
});

test('a final assistant message is sent to a server that continues it or of a client that does not mean a prefill', () => {
  const messages = [hi, says('It is')];
  expect(encode({ messages }, { prefill: true }).messages[1]).toEqual({
    role: 'assistant',
    content: 'It is',
  });
  expect(encode({ messages }, {}, 'responses').messages).toHaveLength(2);
  expect(refusal(() => encode({ messages }))).toMatchObject({ kind: 'invalid-request', path: 'messages' });
});

test.each(
  rows<[Fields, object]>`
  - [{maxTokens: 9}, {max_tokens: 9}]
  - [{temperature: 0.5, topP: 0.9, stop: [a], n: 3}, {temperature: 0.5, top_p: 0.9, stop: [a], n: 3}]
  - - {seed: 1, presencePenalty: 1, frequencyPenalty: 2, logitBias: {5: 1}, output: {type: json}}
    - {seed: 1, presence_penalty: 1, frequency_penalty: 2, logit_bias: {5: 1}, response_format: {type: json_object}}
  - - {tools: [{type: function, name: a}, {type: function, name: b}], toolChoice: {type: required, names: [b]}, parallelToolCalls: false}
    - {tools: [{type: function, function: {name: b}}], tool_choice: required, parallel_tool_calls: false}
  - [{reasoning: {effort: high, budget: 1}}, {reasoning_effort: high}]
  - [{reasoning: {budget: 0}}, {reasoning_effort: none}]
  - [{reasoning: {budget: 1024}}, {reasoning_effort: low}]
  - [{reasoning: {budget: 8192}}, {reasoning_effort: medium}]
  - [{reasoning: {budget: 24576}}, {reasoning_effort: high}]
  - [{reasoning: {budget: 30000}}, {reasoning_effort: xhigh}]
  - [{output: {type: schema, schema: {a: 1}}}, {response_format: {type: json_schema, json_schema: {name: response, schema: {a: 1}}}}]
  - [{tools: [{type: function, name: clock}]}, {tools: [{type: function, function: {name: clock}}]}]
  - - {tools: [{type: custom, name: sql, format: {type: text}}], toolChoice: {type: tool, name: sql}}
    - {tools: [{type: custom, custom: {name: sql, format: {type: text}}}], tool_choice: {type: custom, custom: {name: sql}}}
  - [{extensions: {chat: {store: true}, messages: {context_management: {}, mcp_servers: []}}}, {store: true}]
  - [{toolChoice: {type: auto}, parallelToolCalls: true}, {}]
  - [{stop: ['']}, {}]
  - [{stop: []}, {}]
  - [{reasoning: {budget: -1}}, {}]
  - [{reasoning: {adaptive: true}}, {}]
  - [{output: {type: text}}, {}]
  - [{topK: 5, metadata: {a: b}, verbosity: low, serviceTier: standard_only}, {}]
`,
)('the fields %j become %j', (fields, expected) => {
  expect(encode(fields)).toEqual({ ...encode(), ...expected });
});

test('a request to OpenAI itself uses the newest field names', () => {
  const tools: Fields['tools'] = [
    { type: 'function', name: 'f' },
    { type: 'function', name: 'clock' },
  ];
  const toolChoice: Fields['toolChoice'] = { type: 'auto', names: ['clock'] };
  const fields = { maxTokens: 9, user: 'u', verbosity: 'low', serviceTier: 'flex', tools, toolChoice };
  const clock = { type: 'function', function: { name: 'clock' } };
  expect(encode(fields, { original: true })).toMatchObject({
    ...{ max_completion_tokens: 9, safety_identifier: 'u', verbosity: 'low', service_tier: 'flex' },
    tools: [{}, {}],
    tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [clock] } },
  });
});

test.each(['jane@example.com', 'x'.repeat(65)])('the end user %s is sent as a hash', id => {
  expect(encode({ user: id }).user).toMatch(/^[0-9a-f]{64}$/);
});

test('pitfall 27: a request leaves out fields that the model does not accept', () => {
  const fields: Fields = { temperature: 1, maxTokens: 5, reasoning: { effort: 'low' } };
  const drop = ['temperature', 'max_tokens', 'stream_options'];
  const { stream_options: _, ...rest } = encode();
  expect(encode(fields, { drop })).toEqual({ ...rest, reasoning_effort: 'low' });
});

test("a request asks for no more tokens than the model's output limit", () => {
  expect(encode({ maxTokens: 32_000 }, { limits: { maxOutput: 16_384 } }).max_tokens).toBe(16_384);
});

const tools: Fields['tools'] = [{ type: 'function', name: 'f' }];
test.each<[string, Fields, object]>([
  ['log probabilities', { logprobs: {} }, { path: 'logprobs' }],
  ['five stop sequences', { stop: ['a', 'b', 'c', 'd', 'e'] }, { path: 'stop' }],
  ["another vendor's tool", { tools: [opaque({ type: 'bash_20250124' })] }, { path: 'tools' }],
  ['a document by URL', { messages: [user(media('document', link('u')))] }, { path: 'messages' }],
  ['audio by URL', { messages: [user(media('audio', link('u')))] }, { path: 'messages' }],
  [
    "another vendor's file",
    { messages: [user(media('document', file('f', 'messages')))] },
    { path: 'messages' },
  ],
  ['a required choice without tools', { toolChoice: { type: 'required' } }, { path: 'toolChoice' }],
  [
    'the choice of a missing tool',
    { tools, toolChoice: { type: 'tool', name: 'x' } },
    { path: 'toolChoice' },
  ],
  ['MCP servers', { extensions: { messages: { mcp_servers: [{}] } } }, { param: 'mcp_servers' }],
  ['a container', { extensions: { messages: { container: 'c' } } }, { param: 'container' }],
  ['other thinking', { extensions: { messages: { thinking: { type: 'x' } } } }, { param: 'thinking' }],
])('a request with %s is refused', (_what, fields, field) => {
  expect(refusal(() => encode(fields))).toMatchObject({ kind: 'invalid-request', ...field });
});

test('system messages keep their place', () => {
  expect(sent([system(cached('a')), hi, system('b'), hi])).toEqual([
    { role: 'system', content: 'a' },
    { role: 'user', content: 'Hi' },
    { role: 'system', content: 'b' },
    { role: 'user', content: 'Hi' },
  ]);
});

test('a user message holds every kind of part', () => {
  const pdf = 'data:application/pdf;base64,JVBERi0xLjcK';
  const document = (data: string, name?: string) => media('document', bytes(data), name ? { name } : {});
  const content = [
    cached('Look', { ttl: '1h' }),
    png,
    media('image', link('https://x.example/a.png')),
    media('audio', bytes('AA=='), { mediaType: 'audio/mpeg' }),
    media('document', bytes('JVBE'), { mediaType: 'application/pdf' }),
    media('document', { type: 'text', text: 'plain' }),
    media('document', { type: 'text', text: 'High at 6.' }, { name: 'Tides' }),
    media('document', bytes(btoa('High at 6.')), { name: 'Tides', mediaType: 'text/plain' }),
    media('document', file('file-1', 'chat')),
    opaque({ type: 'search_result', title: 't' }),
    // Files whose type only their content says.
    document('JVBERi0xLjcK', 'Tides'),
    document('JVBERi0xLjcK', 'a.txt'),
    document('iVBORw0KGgoA', 'a'),
  ];
  expect(sent([user(...content)])[0].content).toEqual([
    { type: 'text', text: 'Look' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
    { type: 'image_url', image_url: { url: 'https://x.example/a.png' } },
    { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
    { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE', filename: 'document.pdf' } },
    { type: 'text', text: 'plain' },
    { type: 'text', text: 'Tides\n\nHigh at 6.' },
    { type: 'text', text: 'Tides\n\nHigh at 6.' },
    { type: 'file', file: { file_id: 'file-1' } },
    { type: 'text', text: '{"type":"search_result","title":"t"}' },
    { type: 'file', file: { file_data: pdf, filename: 'Tides.pdf' } },
    { type: 'file', file: { file_data: pdf, filename: 'a.txt' } },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgoA' } },
  ]);
});

test('pitfall 28: an assistant message keeps text beside tool calls', () => {
  const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }];
  const [turn] = sent([says('Checking.', call('c', '{"a":1}')), tells(result('c'))]);
  expect(turn).toEqual({ role: 'assistant', content: 'Checking.', tool_calls });
});

test('pitfall 14: images of tool results go into the next user message, in front of its text', () => {
  const results = tells(result('a', 'see', png), failed(result('b', 'offline')));
  const [assistant, ...rest] = sent([says(call('a'), call('b', '')), results, hi]);
  expect(assistant.tool_calls[1].function.arguments).toBe('{}');
  expect(assistant.content).toBeNull();
  const told = [text('see'), text('(image: see the user message that follows)')];
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } };
  expect(rest).toEqual([
    { role: 'tool', tool_call_id: 'a', content: told },
    { role: 'tool', tool_call_id: 'b', content: 'Error: offline' },
    { role: 'user', content: [text('Shown by tool call a:'), image, text('Hi')] },
  ]);
});

test('images of tool results get a user message if the assistant is next', () => {
  const turns = [says(call('a')), tells(result('a', png))];
  const roles = (messages: Message[]) => sent(messages).map(({ role }: Message) => role);
  expect(roles(turns)).toEqual(['assistant', 'tool', 'user']);
  const more = [...turns, says(call('b')), tells(result('b', 'x'))];
  expect(roles(more)).toEqual(['assistant', 'tool', 'user', 'assistant', 'tool']);
});

test('pitfall 15: unknown blocks of a tool result are kept as JSON', () => {
  const value = { type: 'tool_reference', tool_name: 'x' };
  const document = media('document', link('https://x.example/a'));
  const titled = media('document', { type: 'text', text: 'High.' }, { name: 'Tides' });
  const [, tool] = sent([says(call('a')), tells(result('a', opaque(value), document, titled))]);
  expect(tool.content).toEqual([
    text(JSON.stringify(value)),
    text(JSON.stringify(document)),
    text('Tides\n\nHigh.'),
  ]);
});

test('pitfall 17, 18: reasoning is sent as text, without the signature of another vendor', () => {
  const turn = says(
    thought('Hm.', signed('EqQB')),
    redacted('EmwK'),
    call('c', '{}', signed('sig', 'generate-content')),
  );
  const [assistant] = sent([turn, tells(result('c'))]);
  expect(assistant.reasoning_content).toBe('Hm.');
  expect(JSON.stringify(assistant)).not.toMatch(/EqQB|EmwK|sig/);
  expect(sent([turn, tells(result('c'))], { original: true })[0]).not.toHaveProperty('reasoning_content');
});

test('pitfall 5: ids that are too long are replaced by the same id in call and result', () => {
  const long = `call_${'x'.repeat(80)}`;
  const [assistant, tool] = sent([says(call(long)), tells(result(long))]);
  expect(tool.tool_call_id).toBe(assistant.tool_calls[0].id);
  expect(tool.tool_call_id).toMatch(/^[\w-]{1,40}$/);
});

test('a call without a result, and a result without a call, are refused with the id in the message', () => {
  expect(() => sent([hi, says(call('call_7'), call('call_8')), tells(result('call_8')), hi])).toThrow(
    /'call_7'/,
  );
  expect(() => sent([hi, tells(result('call_9'))])).toThrow(/'call_9'/);
});

test("a call's signature is sent only to Google's models", () => {
  const written = (format: GenerateFormat, value: string, model?: string) => {
    const turns = [says(call('c', '{}', signed(value, format))), tells(result('c'))];
    return sent(turns, model ? { model } : {})[0].tool_calls[0];
  };
  const google = { google: { thought_signature: 'CoYB' } };
  expect(written('generate-content', 'CoYB', 'google/gemini-3-pro').extra_content).toEqual(google);
  expect(written('generate-content', 'CoYB')).not.toHaveProperty('extra_content');
  expect(written('messages', 'EqQB', 'gemini-3-pro')).not.toHaveProperty('extra_content');
});

test('a refusal stays a refusal', () => {
  const [, turn] = sent([hi, says({ type: 'refusal', text: 'No.' }), hi]);
  expect(turn).toEqual({ role: 'assistant', content: null, refusal: 'No.' });
});

test("calls and results of another vendor's tools are sent as text, without encrypted fields", () => {
  const use = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'cats' } };
  const page = { type: 'web_search_result', url: 'http://a.example', title: 'A' };
  const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [page] };
  const parts = [
    opaque({ ...use, cache_control: { type: 'ephemeral' } }),
    opaque({ ...found, content: [{ ...page, encrypted_content: 'E'.repeat(99) }] }),
  ];
  const [, turn] = sent([hi, says('I look.', ...parts, 'Found', ' it.', call('c1')), tells(result('c1'))]);
  expect(turn).toMatchObject({
    content: `I look.\n${JSON.stringify(use)}\n${JSON.stringify(found)}\nFound it.`,
    tool_calls: [{ id: 'c1' }],
  });
});

const search = (value: Record<string, unknown> = {}) => ({
  type: 'web-search' as const,
  own: { format: 'messages' as const, value: { type: 'web_search_20250305', name: 'web_search', ...value } },
});

test.each<[Fields['toolChoice'], boolean]>([
  [{ type: 'tool', name: 'web_search' }, false],
  [{ type: 'required' }, false],
  [{ type: 'tool', name: 'f' }, true],
  [{ type: 'required' }, true],
  [{ type: 'none' }, true],
])('a web search is no choice, but the choice %j among other tools stays: %s', (toolChoice, others) => {
  const write = () => encode({ tools: [search(), ...(others ? (tools ?? []) : [])], toolChoice } as Fields);
  if (!others) return expect(refusal(write)).toMatchObject({ kind: 'invalid-request', path: 'toolChoice' });
  expect(write()).toMatchObject({ web_search_options: {}, tools: [{ type: 'function' }], tool_choice: {} });
});

test.each(['allowed_domains', 'blocked_domains'])('a web search with %s is refused', name => {
  const refused = (value: unknown) =>
    refusal(() => encode({ tools: [search({ [name]: value, max_uses: 3 })] }));
  expect(refused(['a.example'])).toMatchObject({ path: 'tools', message: expect.stringContaining(name) });
  expect([refused([]), refused(null)]).toEqual([undefined, undefined]);
});
