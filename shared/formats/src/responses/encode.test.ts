import type { Envelope, GenerateFormat, GenerateRequest, MediaPart, Message } from '@model-gateway/canonical';
import { refusal } from '@model-gateway/canonical/testing/events';
import {
  bytes,
  call,
  failed,
  file,
  link,
  media,
  opaque,
  png,
  result,
  says,
  signed,
  system,
  tells,
  thought,
  user,
} from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { encodeInput, type InputFields } from '../testing/encode-input.ts';
import { callId } from '../upstream/tool-names.ts';
import { responsesDialect } from './dialect.ts';
import { responsesTranslatable } from './request.ts';

type Fields = Partial<GenerateRequest>;
const hi = user('Hi');
const original = { original: true };

function encode(fields: Fields = {}, more: InputFields = {}, format: GenerateFormat = 'chat') {
  const request = { messages: [hi], ...fields };
  const { path, body } = responsesDialect.encode(
    encodeInput({ model: 'up-1', request, ...more }, { format }),
  );
  expect(path).toBe('/responses');
  const sent = JSON.parse(body.toString());
  // The body is a valid request of this format.
  expect(responsesTranslatable.safeParse(sent)).toMatchObject({ success: true });
  return sent;
}
const refused = (fields: Fields, format?: GenerateFormat) => refusal(() => encode(fields, {}, format));
const input = (...messages: Message[]) => encode({ messages }).input;
const message = (role: string, ...content: object[]) => ({ type: 'message', role, content });
const inputText = (value: string) => ({ type: 'input_text', text: value });
const outputText = (...values: string[]) =>
  message('assistant', ...values.map(value => ({ type: 'output_text', text: value })));

describe('a translated request', () => {
  test("a translated request streams, is not stored and has the upstream's model name", () => {
    expect(encode()).toEqual({
      model: 'up-1',
      input: [message('user', inputText('Hi'))],
      include: ['reasoning.encrypted_content'],
      store: false,
      stream: true,
    });
  });

  test.each([
    ['gpt-4o', false],
    ['openai/gpt-4.1-mini', false],
    ['gpt-5-chat-latest', false],
    ['gpt-5.4', true],
    ['o4-mini', true],
    ['gpt-oss-120b', true],
  ])('a request for %s includes encrypted reasoning: %s', (model, included) => {
    expect('include' in encode({}, { model })).toBe(included);
  });

  test.each(
    rows<[string, Fields, object]>`
    - [effort alone, {reasoning: {effort: high}}, {reasoning: {effort: high}}]
    - [no reasoning, {reasoning: {budget: 0, show: true}}, {reasoning: {effort: none}}]
    - [a token budget, {reasoning: {budget: 8192}}, {reasoning: {effort: medium, summary: auto}}]
    - [a token budget without a summary, {reasoning: {budget: 1, show: false}}, {reasoning: {effort: low}}]
    - [a reasoning summary only, {reasoning: {adaptive: true, show: true}}, {reasoning: {summary: auto}}]
    - - a schema
      - {output: {type: schema, schema: {type: object}, name: x, strict: true}}
      - {text: {format: {type: json_schema, name: x, schema: {type: object}, strict: true}}}
    - - a schema without a name
      - {output: {type: schema, schema: {}}}
      - {text: {format: {type: json_schema, name: response, schema: {}}}}
    - [a prompt cache key, {extensions: {chat: {prompt_cache_key: k}}}, {prompt_cache_key: k}]
  `,
  )('a request with %s is translated', (_what, fields, expected) => {
    expect(encode(fields)).toEqual({ ...encode(), ...expected });
  });

  test.each(
    rows<[string, Fields]>`
    - [plain text, {output: {type: text}}]
    - [penalties and a seed, {presencePenalty: 1, frequencyPenalty: 1, seed: 1}]
    - [top k, {topK: 5}]
    - [stop sequences at which the gateway cuts the response, {stop: ["\n", '']}]
    - [an empty logit bias, {logitBias: {}}]
    - [a text modality and a single choice, {modalities: [TEXT], n: 1}]
    - [adaptive reasoning, {reasoning: {adaptive: true}}]
    - [service tier and verbosity for a compatible upstream, {serviceTier: flex, verbosity: low}]
    - [a tool choice without tools, {toolChoice: {type: auto}, parallelToolCalls: false}]
    - [prediction, {extensions: {chat: {prediction: {content: x}}}}]
    - - fields about stored state
      - {extensions: {responses: {previous_response_id: r, conversation: c, background: true, store: true}}}
  `,
  )('a request leaves out %s', (_what, fields) => {
    expect(encode(fields)).toEqual(encode());
  });

  test('a request to OpenAI has service_tier, verbosity and safety_identifier', () => {
    expect(encode({ serviceTier: 'flex', verbosity: 'low', user: 'a@b.c' }, original)).toMatchObject({
      service_tier: 'flex',
      text: { verbosity: 'low' },
      safety_identifier: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(encode({ serviceTier: 'standard' }, original)).not.toHaveProperty('service_tier');
  });

  test('max_output_tokens is capped at the limit, and dropped fields are not sent', () => {
    expect(encode({ maxTokens: 9 }, { limits: { maxOutput: 5 } }).max_output_tokens).toBe(5);
    const { include: _, ...rest } = encode();
    expect(encode({ temperature: 1 }, { drop: ['temperature', 'include'] })).toEqual(rest);
  });

  const tools: Fields['tools'] = [{ type: 'function', name: 'f' }];
  test.each<[string, Fields, object]>([
    ['several choices', { n: 2 }, { path: 'n' }],
    ['audio', { modalities: ['text', 'audio'] }, { path: 'modalities' }],
    [
      'servers of another vendor',
      { extensions: { messages: { mcp_servers: [{}] } } },
      { param: 'mcp_servers' },
    ],
    ['a tool of another vendor', { tools: [opaque({ type: 'bash' })] }, { path: 'tools' }],
    [
      'a choice of an unknown tool',
      { tools, toolChoice: { type: 'tool', name: 'x' } },
      { path: 'toolChoice' },
    ],
    ['a call without its result', { messages: [hi, says(call('c')), hi] }, { path: 'messages' }],
  ])('a request with %s is refused', (_what, fields, field) => {
    expect(refused(fields)).toMatchObject({ kind: 'invalid-request', ...field });
  });

  test('a final assistant message is refused for messages clients', () => {
    const messages = [hi, says('The')];
    expect(refused({ messages }, 'messages')).toMatchObject({ kind: 'invalid-request', path: 'messages' });
    expect(refused({ messages })).toBeUndefined();
  });
});

describe('a conversation', () => {
  const turn = (...content: Parameters<typeof says>) => input(hi, says(...content), hi).slice(1, -1);

  test('instructions keep their positions', () => {
    expect(input(system('a'), system('b'), hi, system('c'))).toEqual([
      message('system', inputText('a')),
      message('system', inputText('b')),
      message('user', inputText('Hi')),
      message('system', inputText('c')),
    ]);
  });

  test('text, reasoning and calls of a turn keep their order', () => {
    const own = (value: string) => signed(value, 'responses');
    const thoughts = [thought('Hm.', own('rs_1:gAAA')), 'a', '', 'b', thought('', own('gBBB'))];
    const calls = [call('c1', ''), call('c2', 'free "text"', { name: 'patch', custom: true })];
    const said = says(...thoughts, ...calls, { type: 'refusal', text: 'No.' });
    expect(input(hi, said, tells(result('c1', '4 C'), result('c2', '4 C'))).slice(1)).toEqual([
      {
        ...{ type: 'reasoning', id: 'rs_1', encrypted_content: 'gAAA' },
        summary: [{ type: 'summary_text', text: 'Hm.' }],
      },
      outputText('a', 'b'),
      { type: 'reasoning', summary: [], encrypted_content: 'gBBB' },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: 'free "text"' },
      message('assistant', { type: 'refusal', refusal: 'No.' }),
      { type: 'function_call_output', call_id: 'c1', output: '4 C' },
      { type: 'custom_tool_call_output', call_id: 'c2', output: '4 C' },
    ]);
  });

  const search = { type: 'web_search_call', id: 'ws_1' };
  test.each<[string, Parameters<typeof says>[0], object[]]>([
    ['reasoning of another vendor', thought('x', signed('s')), []],
    ['reasoning without a signature', thought('x'), []],
    ['reasoning at the end', thought('x', signed('rs:g', 'responses')), []],
    ['an empty text', '', []],
    ['a block of another format', opaque({ type: 'x', signature: 's' }), [outputText('{"type":"x"}')]],
    ['an item of this format', opaque(search, 'responses'), [search]],
    ['an image', media('image', link('u')), [outputText('(image)')]],
  ])('an assistant turn of %s is encoded', (_what, part, expected) => {
    expect(turn(part)).toEqual(expected);
    const separate = JSON.stringify(expected) === JSON.stringify([search]);
    expect(turn('a', part)).toHaveLength(separate ? 2 : 1);
  });

  test('call ids that are too long are shortened identically on call and result', () => {
    const long = `call_${'x'.repeat(80)}`;
    const [, called, answered] = input(hi, says(call(long, '{}', { name: 'get.time' })), tells(result(long)));
    expect(called.call_id).toMatch(/^call_\w{24}$/);
    expect(answered.call_id).toBe(called.call_id);
    expect(called.name).toMatch(/^get_time_\w{8}$/);
  });

  test('results keep the media and the error flag of a tool', () => {
    const audio = media('audio', link('u'));
    const outputOf = (part: ReturnType<typeof result>) => input(hi, says(call('c')), tells(part))[2].output;
    const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBO' };
    expect(outputOf(result('c', 'Look:', png))).toEqual([inputText('Look:'), image]);
    expect(outputOf(failed(result('c', png)))).toEqual([inputText('Error:'), image]);
    expect(outputOf(failed(result('c', 'boom')))).toBe('Error: boom');
    expect(outputOf(result('c', audio))).toBe(JSON.stringify(audio));
    expect(outputOf(result('c'))).toBe('');
  });
});

describe('media', () => {
  const pdf = { mediaType: 'application/pdf', name: 'a.pdf' };
  test.each<[string, MediaPart, object]>([
    ['an image', png, { type: 'input_image', image_url: 'data:image/png;base64,iVBO' }],
    ['a stored image', media('image', file('f', 'responses')), { type: 'input_image', file_id: 'f' }],
    [
      'a file that is an image',
      media('document', bytes('iVBORw0KGgoA')),
      { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgoA' },
    ],
    [
      'a document',
      media('document', bytes('JVBERi0'), pdf),
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0' },
    ],
    [
      'an image by link',
      media('image', link('https://x/y')),
      { type: 'input_image', image_url: 'https://x/y' },
    ],
    [
      'a document by link',
      media('document', link('https://x/y')),
      { type: 'input_file', file_url: 'https://x/y' },
    ],
    ['a stored document', media('document', file('f', 'chat')), { type: 'input_file', file_id: 'f' }],
    ['a text document', media('document', { type: 'text', text: 'x' }, { name: 'N' }), inputText('N\n\nx')],
    [
      'audio data',
      media('audio', bytes('aa'), { mediaType: 'audio/mpeg' }),
      { type: 'input_audio', input_audio: { data: 'aa', format: 'mp3' } },
    ],
  ])('%s becomes a content part', (_what, part, expected) => {
    expect(input(user(part))).toEqual([message('user', expected)]);
  });

  test.each<[string, MediaPart]>([
    ['audio by link', media('audio', link('u'))],
    ['a file stored at another vendor', media('image', file('f', 'messages'))],
  ])('%s is refused', (_what, part) => {
    expect(refused({ messages: [user(part)] })).toMatchObject({ kind: 'invalid-request', path: 'messages' });
  });
});

describe('tools', () => {
  test.each(
    rows<[string, object, object]>`
    - - a function that is not strict by default
      - {type: function, name: f, description: d}
      - {type: function, name: f, description: d, parameters: {type: object, properties: {}}, strict: false}
    - - a strict function
      - {type: function, name: f, parameters: {a: 1}, strict: true}
      - {type: function, name: f, parameters: {a: 1}, strict: true}
    - - a custom tool with a grammar
      - {type: custom, name: c, format: {type: grammar, grammar: {syntax: lark, definition: 'start: "a"'}}}
      - {type: custom, name: c, format: {type: grammar, syntax: lark, definition: 'start: "a"'}}
    - [a web search, {type: web-search}, {type: web_search}]
    - - a web search of the chat format
      - {type: web-search, location: {city: Oslo}, own: {format: chat, value: {search_context_size: low}}}
      - {type: web_search, user_location: {type: approximate, city: Oslo}, search_context_size: low}
    - - a web search bound to domains
      - {type: web-search, own: {format: messages, value: {allowed_domains: [a.b], max_uses: 2}}}
      - {type: web_search, filters: {allowed_domains: [a.b]}}
    - - a vendor tool
      - {type: opaque, format: responses, value: {type: mcp, server_label: x}}
      - {type: mcp, server_label: x}
  `,
  )('%s is declared', (_what, tool, expected) => {
    expect(encode({ tools: [tool] as Fields['tools'] }).tools).toEqual([expected]);
  });

  test('a web search with blocked domains is refused', () => {
    const own = { format: 'messages' as const, value: { blocked_domains: ['a.b'] } };
    expect(refused({ tools: [{ type: 'web-search', own }] })).toMatchObject({ path: 'tools' });
  });

  const tools: Fields['tools'] = [
    { type: 'function', name: 'f', parameters: { type: 'object' } },
    { type: 'custom', name: 'patch' },
  ];
  test.each(
    rows<[Fields['toolChoice'], unknown]>`
    - [{type: none}, none]
    - [{type: auto}, auto]
    - [{type: tool, name: f}, {type: function, name: f}]
    - [{type: tool, name: patch}, {type: custom, name: patch}]
    - [{type: tool, name: web_search}, {type: web_search}]
    - - {type: required, names: [f, patch]}
      - {type: allowed_tools, mode: required, tools: [{type: function, name: f}, {type: custom, name: patch}]}
  `,
  )('tool choice %j is encoded', (toolChoice, expected) => {
    const all = [...tools, { type: 'web-search' as const }];
    const body = encode({ tools: all, toolChoice, parallelToolCalls: false } as Fields, original);
    expect(body).toMatchObject({ tool_choice: expected, parallel_tool_calls: false, tools: [{}, {}, {}] });
  });

  test('a compatible upstream gets only the tools that may be chosen', () => {
    const body = encode({ tools, toolChoice: { type: 'auto', names: ['patch'] } });
    expect(body).toMatchObject({ tools: [{ name: 'patch' }], tool_choice: 'auto' });
  });
});

describe('a verbatim request', () => {
  const write = (body: string, more: InputFields = {}, envelope: Partial<Envelope> = {}) =>
    responsesDialect.encode(
      encodeInput(
        { model: 'up-1', text: Buffer.from(body), ...more },
        { format: 'responses', stream: true, ...envelope },
      ),
    );
  const send = (...from: Parameters<typeof write>) => write(...from).body.toString();

  test('a verbatim request changes only in the model and in fields about stored state', () => {
    const stored = '"store":true,"previous_response_id":"r","conversation":"c","background":true';
    expect(send(`{"input": "Hi" ,"model":"m","x":12345678901234567890,${stored},"stream": true}`)).toBe(
      '{"input": "Hi","model":"up-1","x":12345678901234567890,"store":false,"stream": true}',
    );
    expect(send('{"model":"m"}', {}, { stream: false })).toBe('{"model":"up-1","store":false}');
  });

  test.each([
    ['{"model":"m"}', ['reasoning.encrypted_content']],
    ['{"model":"m","include":["x"]}', ['x', 'reasoning.encrypted_content']],
    ['{"model":"m","include":null,"store":null}', ['reasoning.encrypted_content']],
    ['{"model":"m","store":false}', undefined],
  ])('%s sent to OpenAI has include %j', (body, include) => {
    expect(JSON.parse(send(body, original)).include).toEqual(include);
  });

  test('include is not added for compatible upstreams, for models without reasoning or if dropped', () => {
    expect(send('{"model":"m"}')).not.toContain('include');
    expect(send('{"model":"m"}', { ...original, model: 'gpt-4o' })).not.toContain('include');
    const left = send('{"model":"m","store":true,"include":[]}', { drop: ['include', 'store'] });
    expect(left).toBe('{"model":"up-1","stream":true}');
  });

  test("a verbatim request is sent without other vendors' reasoning and long call ids", () => {
    const reasoning = (encrypted_content: string | null, content: unknown = null) => ({
      ...{ type: 'reasoning', id: 'rs_1', summary: [], content, encrypted_content },
    });
    const kept = [
      { role: 'user', content: 'Hi', big: 1 },
      reasoning('gAAA'),
      reasoning(null, [{ type: 'reasoning_text', text: 'x' }]),
      { type: 'function_call_output', call_id: 'c', output: '' },
    ];
    const called = (call_id: string) => ({
      type: 'function_call',
      id: 'fc_1',
      call_id,
      name: 'f',
      arguments: '{}',
    });
    const long = 'x'.repeat(65);
    const cut = { ...called('d'), arguments: '{"x":' };
    const shown = (image_url: unknown) => ({ role: 'user', content: [{ type: 'input_image', image_url }] });
    const images = [
      shown({ url: 'https://x.example/a' }),
      shown('data:image/jpeg;base64,iVBORw0KGgoA\nAAAN'),
    ];
    const sentImages = [shown('https://x.example/a'), shown('data:image/png;base64,iVBORw0KGgoAAAAN')];
    const items = [
      ...images,
      reasoning('gg:abc'),
      ...kept,
      reasoning(null),
      called('c__thought__s'),
      called(long),
      cut,
    ];
    const body = JSON.stringify({ model: 'm', input: items }).replace('"big":1', '"big":9007199254740993');
    const sent = send(body, {}, { foreign: true });
    expect(sent).toContain('"big":9007199254740993');
    const left = JSON.parse(sent.replace('9007199254740993', '1')).input;
    const mended = { ...cut, arguments: '{"_raw":"{\\"x\\":"}' };
    expect(left).toEqual([...sentImages, ...kept, called('c'), called(callId(long)), mended]);
    expect(send(body)).toContain('gg:abc');
    expect(send('{"model":"m","input":"Hi"}', {}, { foreign: true })).toContain('"input":"Hi"');
  });

  test('a verbatim token count is sent without fields about stored state', () => {
    const body = '{"model":"m","input":"Hi","previous_response_id":"r"}';
    const counted = write(body, original, { operation: 'count-tokens', stream: false });
    expect(counted.path).toBe('/responses/input_tokens');
    expect(counted.body.toString()).toBe('{"model":"up-1","input":"Hi"}');
  });
});
