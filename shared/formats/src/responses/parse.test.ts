import { refusal } from '@model-gateway/canonical/testing/events';
import {
  bytes,
  call,
  file,
  link,
  media,
  opaque,
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
import { describe, expect, test } from 'vitest';
import { parse } from './parse.ts';

const valid = { model: 'm', input: 'Hi' };
const many = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v']));
const hi = user('Hi');

/** The canonical request, serialized as for the bus. */
function canonical(fields: Record<string, unknown>) {
  return JSON.parse(JSON.stringify(parse({ model: 'm', ...fields }).canonical()));
}
const messages = (input: unknown) => canonical({ input }).messages;

describe('an invalid request is rejected with the name of the field', () => {
  test.each(
    rows<[string, string, Record<string, unknown>]>`
    - [model, invalid_type, {model: 5}]
    - [model, invalid_value, {model: ''}]
    - [input, invalid_type, {input: 5}]
    - ['input[0]', invalid_type, {input: [Hi]}]
    - [instructions, invalid_type, {instructions: 5}]
    - [stream, invalid_type, {stream: 'true'}]
    - [temperature, decimal_above_max_value, {temperature: 2.1}]
    - [top_p, decimal_below_min_value, {top_p: -1}]
    - [top_logprobs, integer_above_max_value, {top_logprobs: 21}]
    - [max_output_tokens, integer_below_min_value, {max_output_tokens: 0}]
    - [max_output_tokens, invalid_type, {max_output_tokens: 1.5}]
    - [max_tool_calls, integer_below_min_value, {max_tool_calls: 0}]
    - [metadata.a, invalid_type, {metadata: {a: 1}}]
    - [tools, invalid_type, {tools: {}}]
    - ['tools[0].type', missing_required_parameter, {tools: [{}]}]
    - [tool_choice, invalid_type, {tool_choice: 1}]
    - [text, invalid_type, {text: json}]
    - [reasoning, invalid_type, {reasoning: high}]
    - [include, invalid_type, {include: x}]
    - [store, invalid_type, {store: 'no'}]
    - [truncation, invalid_value, {truncation: always}]
    - [background, unsupported_parameter, {background: true}]
    - [previous_response_id, previous_response_not_found, {previous_response_id: resp_1}]
    - ['input[0].id', invalid_value, {input: [{type: item_reference, id: rs_1}]}]
    - ['input[0].id', invalid_value, {input: [{id: rs_1}]}]
  `,
  )('%s: %s in %j', (param, code, fields) => {
    const error = { kind: 'invalid-request', param, code };
    expect(refusal(() => parse({ ...valid, ...fields }))).toMatchObject(error);
  });

  test.each(['model', 'input'])('a body without %s is rejected', param => {
    const error = { kind: 'invalid-request', param, code: 'missing_required_parameter' };
    expect(refusal(() => parse({ ...valid, [param]: undefined }))).toMatchObject(error);
  });

  test('metadata of 17 fields are too many', () => {
    const code = 'object_above_max_properties';
    expect(refusal(() => parse({ ...valid, metadata: many }))).toMatchObject({ param: 'metadata', code });
  });

  test('a conversation id is rejected as not found', () => {
    const message = "Conversation with id 'conv_1' not found.";
    const error = { kind: 'not-found', param: 'conversation', message };
    expect(refusal(() => parse({ ...valid, conversation: { id: 'conv_1' } }))).toMatchObject(error);
  });

  test.each(
    rows<[string, Record<string, unknown>]>`
    - ['input[0].role', {input: [{role: robot, content: Hi}]}]
    - ['input[0].type', {input: [{type: nothing}]}]
    - ['input[0].content', {input: [{role: user, content: 5}]}]
    - ['input[0].content[0].type', {input: [{role: user, content: [{type: text, text: x}]}]}]
    - ['input[0].content[0].type', {input: [{role: system, content: [{type: input_image, image_url: x}]}]}]
    - ['input[0].content[0].image_url', {input: [{role: user, content: [{type: input_image}]}]}]
    - ['input[0].content[0].image_url', {input: [{role: user, content: [{type: input_image, image_url: 'data:x'}]}]}]
    - ['input[0].content[0].file_data', {input: [{role: user, content: [{type: input_file, filename: a}]}]}]
    - ['input[0].call_id', {input: [{type: function_call_output, call_id: c, output: x}]}]
    - [input, {input: [{type: function_call, call_id: c, name: f, arguments: '{}'}]}]
    - ['input[0].arguments', {input: [{type: function_call, call_id: c, name: f, arguments: 5}]}]
    - ['input[0]', {input: [{type: compaction, encrypted_content: x}]}]
    - ['input[0]', {input: [{type: compaction_trigger}, {role: user, content: x}]}]
    - [prompt, {prompt: {id: p}}]
    - [moderation, {moderation: {model: omni-moderation-latest}}]
    - [context_management, {context_management: [{type: compaction, compact_threshold: 1000}]}]
    - [tool_choice, {tool_choice: all}]
    - [tool_choice.name, {tool_choice: {type: function}}]
    - [input, {input: []}]
    - [text.format.type, {text: {format: {type: yaml}}}]
    - [text.format.schema, {text: {format: {type: json_schema, name: n}}}]
    - [text.verbosity, {text: {verbosity: loud}}]
    - [reasoning.effort, {reasoning: {effort: huge}}]
    - ['tools[0].name', {tools: [{type: function}]}]
    - [max_tool_calls, {max_tool_calls: 2, tools: [{type: web_search}]}]
  `,
  )('%s is invalid in %j when the request is translated', (param, fields) => {
    const error = { kind: 'invalid-request', param };
    expect(refusal(() => parse({ ...valid, ...fields }).canonical())).toMatchObject(error);
  });
});

test('a request with unknown fields and null values is accepted', () => {
  const nothing = {
    temperature: null,
    tools: null,
    metadata: null,
    previous_response_id: null,
    background: null,
  };
  const input = [
    { role: 'user', content: 'Hi', id: 'msg_1', internal_chat_message_metadata_passthrough: {} },
    { type: 'reasoning', summary: [], content: null, encrypted_content: null },
  ];
  const agent = { model: 'm', input, client_metadata: { session: '1' }, ...nothing };
  expect(parse(agent)).toMatchObject({ model: 'm', stream: false });
  expect(canonical(agent)).toEqual({
    messages: [hi],
    extensions: { responses: { client_metadata: { session: '1' } } },
  });
});

describe('input items', () => {
  test('a text input becomes a user message after the instructions', () => {
    const fields = { input: 'Hi', instructions: 'Be brief.' };
    expect(canonical(fields).messages).toEqual([system('Be brief.'), hi]);
  });

  test('messages of every role are parsed with and without a type', () => {
    const input = [
      { role: 'developer', content: 'A' },
      { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'B' }] },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Yes', phase: 'commentary' },
      {
        role: 'assistant',
        content: [
          { type: 'refusal', refusal: 'No' },
          { type: 'output_text', text: '' },
        ],
      },
    ];
    const answer = says('Yes', { type: 'refusal', text: 'No' });
    expect(messages(input)).toEqual([system('A'), system('B'), hi, answer]);
  });

  const [url, pdf] = ['https://i.example/a', 'https://x.example/a.pdf'];
  test.each([
    [{ type: 'input_text', text: 'Look', prompt_cache_breakpoint: {} }, text('Look', { cache: {} })],
    [{ type: 'input_image', image_url: url, detail: 'low' }, media('image', link(url))],
    [
      { type: 'input_image', image_url: 'data:image/jpg;base64,AAAA' },
      media('image', bytes('AAAA'), { mediaType: 'image/jpeg' }),
    ],
    [{ type: 'input_image', image_url: { url } }, media('image', link(url))],
    [
      { type: 'input_image', image_url: 'data:image/png;base64,iV\nBO' },
      media('image', bytes('iVBO'), { mediaType: 'image/png' }),
    ],
    [
      { type: 'input_file', file_data: 'data:text/plain;base64,JVBERi0xLjc=', filename: 'a' },
      media('document', bytes('JVBERi0xLjc='), { mediaType: 'text/plain', name: 'a' }),
    ],
    [{ type: 'input_image', file_id: 'file_1' }, media('image', file('file_1', 'responses'))],
    [
      { type: 'input_file', file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' },
      media('document', bytes('JVBE'), { mediaType: 'application/pdf', name: 'a.pdf' }),
    ],
    [
      { type: 'input_file', file_data: 'data:text/plain;base64,SGk=', filename: 'a.txt' },
      media('document', { type: 'text', text: 'Hi' }, { mediaType: 'text/plain', name: 'a.txt' }),
    ],
    [{ type: 'input_file', file_url: pdf }, media('document', link(pdf))],
    [{ type: 'input_file', file_id: 'file_2' }, media('document', file('file_2', 'responses'))],
    [
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
      media('audio', bytes('AAAA'), { mediaType: 'audio/mpeg' }),
    ],
  ])('the part %j is parsed', (part, expected) => {
    expect(messages([{ role: 'user', content: [part] }])).toEqual([user(expected)]);
  });

  const question = { role: 'user', content: 'Hi' };
  const asks = (call_id: string) => ({
    ...{ type: 'function_call', id: `fc_${call_id}`, call_id, name: 'f', arguments: '{}' },
  });
  const output = (call_id: string, output: unknown = 'done') => ({
    ...{ type: 'function_call_output', call_id, output },
  });
  const reasoning = (encrypted_content?: string, text?: string) => ({
    ...{ type: 'reasoning', encrypted_content, summary: text ? [{ type: 'summary_text', text }] : [] },
  });

  test('consecutive model output is one turn, directly followed by the results of its calls', () => {
    const turn = [reasoning('gAAA', 'Hm'), { role: 'assistant', content: 'Wait' }, asks('a'), asks('b')];
    const results = [output('a'), question, output('b'), asks('c'), output('c')];
    expect(messages([question, ...turn, ...results])).toEqual([
      hi,
      says(thought('Hm', signed('gAAA', 'responses')), 'Wait', call('a'), call('b')),
      ...[tells(result('a', 'done'), result('b', 'done')), hi],
      ...[says(call('c')), tells(result('c', 'done'))],
    ]);
  });

  test.each<[unknown, string]>([
    ['{"x":', '{"_raw":"{\\"x\\":"}'],
    [{ x: 1 }, '{"x":1}'],
    [null, ''],
  ])('the arguments %j, which are no JSON text, are kept', (args, expected) => {
    expect(messages([{ ...asks('a'), arguments: args }, output('a')])[0]).toEqual(says(call('a', expected)));
  });

  test('calls of one id in a turn need one result at least, and content may be null', () => {
    const twice = says(call('a'), call('a'));
    expect(messages([asks('a'), asks('a'), output('a', null), question])).toEqual([
      twice,
      tells(result('a')),
      hi,
    ]);
    const [, both] = messages([asks('a'), asks('a'), output('a', '1'), output('a', '2')]);
    expect(both).toEqual(tells(result('a', '1'), result('a', '2')));
    const nothing = { type: 'message', role: 'assistant', content: null };
    expect(messages([question, nothing, question])).toEqual([hi, hi]);
  });

  test('results in parts and calls of custom, namespaced and search tools are parsed', () => {
    const search = { call_id: 'c', execution: 'client' };
    const parts = [
      { type: 'input_text', text: 'x' },
      { type: 'input_image', image_url: url },
    ];
    const [, assistant, results] = messages([
      question,
      { type: 'custom_tool_call', call_id: 'a', name: 'patch', input: '*** Begin' },
      { type: 'function_call', call_id: 'b', name: 'read', namespace: 'files', arguments: '' },
      { type: 'tool_search_call', ...search, arguments: { query: 'x' } },
      { type: 'custom_tool_call_output', call_id: 'a', output: 'ok' },
      output('b', parts),
      { type: 'tool_search_output', ...search, tools: [{ type: 'function', name: 'g' }] },
    ]);
    expect(assistant.content).toEqual([
      call('a', '*** Begin', { name: 'patch', custom: true }),
      call('b', '', { name: 'files__read' }),
      call('c', '{"query":"x"}', { name: 'tool_search' }),
    ]);
    expect(results.content).toMatchObject([
      result('a', 'ok'),
      result('b', 'x', media('image', link(url))),
      result('c', '{"tools":[{"type":"function","name":"g"}]}'),
    ]);
  });

  test('reasoning keeps its signature, and a separate signature moves back to its call', () => {
    const raw = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'raw' }] };
    const signatures = [
      reasoning('am:EqQB', 'Hm'),
      reasoning('am:redacted:Em'),
      asks('a'),
      reasoning('gg:sig'),
    ];
    const [, assistant] = messages([question, ...signatures, raw, output('a')]);
    expect(assistant).toEqual(
      says(
        ...[thought('Hm', signed('EqQB')), redacted('Em')],
        ...[call('a', '{}', signed('sig', 'generate-content')), thought('raw')],
      ),
    );
  });

  test('a signature that another gateway put into a call id is removed from it', () => {
    const gave = tells(result('a', 'done'));
    expect(messages([asks('a__thought__sig'), output('a__thought__sig')])).toEqual([
      says(call('a', '{}', signed('sig', 'generate-content'))),
      gave,
    ]);
    const custom = { type: 'custom_tool_call', call_id: 'a__thought__sig', name: 'f', input: 'x' };
    expect(messages([custom, output('a__thought__sig')])[1]).toEqual(gave);
  });

  test('items of tools that the vendor runs are kept unchanged', () => {
    const action = { type: 'search', query: 'x' };
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action };
    const shell = { type: 'shell_call_output', call_id: 's', output: [] };
    const drawn = { type: 'image_generation_call', id: 'ig_1', result: '/9j/AA' };
    const image = media('image', bytes('/9j/AA'), { mediaType: 'image/jpeg' });
    expect(messages([question, search, drawn, shell])).toEqual([
      ...[hi, says(opaque(search, 'responses'), image), user(opaque(shell, 'responses'))],
    ]);
  });

  test.each(
    rows<[boolean, object]>`
    - [false, {type: reasoning, id: rs_1, encrypted_content: gAAA}]
    - [false, {type: reasoning, id: rs_1, content: [{type: reasoning_text, text: x}]}]
    - [false, {type: function_call, call_id: call_1, name: f, arguments: '{}'}]
    - [true, {type: reasoning, id: rs_1, encrypted_content: 'am:EqQB'}]
    - [true, {type: reasoning, summary: []}]
    - [true, {role: user, content: [{type: input_image, image_url: {url: 'https://x.example/a'}}]}]
    - [true, {role: user, content: [{type: input_image, image_url: 'data:image/jpeg;base64,iVBORw0KGgoAAAAN'}]}]
    - [true, {type: function_call_output, call_id: c, output: [{type: input_file, file_data: "data:application/pdf;base64,JVBE\nRi0x"}]}]
    - [false, {role: user, content: [{type: input_image, image_url: 'data:image/png;base64,iVBORw0KGgoAAAAN'}]}]
    - [true, {type: function_call, call_id: call_1, name: f, arguments: '{"x":'}]
    - [true, {type: function_call, call_id: call_1, name: f, arguments: {x: 1}}]
    - [true, {type: reasoning, id: rs_1, summary: [], content: null, encrypted_content: null}]
    - [true, {type: function_call, call_id: call_1__thought__s, name: f, arguments: '{}'}]
    - [true, {type: function_call_output, output: '', call_id: call_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx}]
  `,
  )('a history is foreign: %s, with %j', (foreign, item) => {
    expect(parse({ model: 'm', input: [item] }).foreign).toBe(foreign);
  });
});

describe('settings', () => {
  const schema = { type: 'object', properties: {} };
  const same = { temperature: 0.5, metadata: { a: 'b' } };

  test('settings are mapped to the canonical request', () => {
    const fields = {
      ...{ ...same, top_p: 0.9, presence_penalty: 0.1, frequency_penalty: 0.2, max_output_tokens: 50 },
      ...{ parallel_tool_calls: false, reasoning: { effort: 'high', summary: 'auto' } },
      text: { format: { type: 'json_schema', name: 'n', schema, strict: true }, verbosity: 'low' },
      include: ['message.output_text.logprobs', 'reasoning.encrypted_content'],
      ...{ top_logprobs: 3, safety_identifier: 's', user: 'u', service_tier: 'flex', store: false },
      ...{ truncation: 'auto', prompt_cache_key: 'k' },
    };
    expect(canonical({ ...valid, ...fields })).toEqual({
      messages: [hi],
      ...{ ...same, topP: 0.9, presencePenalty: 0.1, frequencyPenalty: 0.2, maxTokens: 50 },
      ...{ parallelToolCalls: false, reasoning: { effort: 'high', show: true }, verbosity: 'low' },
      output: { type: 'schema', schema, name: 'n', strict: true },
      ...{ logprobs: { top: 3 }, user: 's', serviceTier: 'flex', cacheKey: 'k' },
      extensions: { responses: { truncation: 'auto' } },
    });
  });

  test('configuration updates in the history override the settings', () => {
    const tools = [{ type: 'function', name: 'g' }];
    const text = { format: { type: 'json_object' } };
    const input = [
      { type: 'additional_tools', role: 'developer', tools },
      { role: 'user', content: 'Hi' },
      { type: 'configuration_update', reasoning: { effort: 'low' }, text },
    ];
    expect(canonical({ input, reasoning: { effort: 'high', summary: 'auto' } })).toMatchObject({
      ...{ tools, reasoning: { effort: 'low', show: true }, output: { type: 'json' } },
    });
  });

  const grammar = { syntax: 'lark', definition: 'start: "x"' };
  const search = { type: 'web_search', user_location: { type: 'approximate', city: 'Oslo' } };
  const interpreter = { type: 'code_interpreter', container: {} };
  const f = { type: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: false };
  const read = { type: 'function', name: 'read', description: 'Reads.' };
  const tools = [
    f,
    { type: 'function', name: 'bare', parameters: null, strict: null },
    { type: 'custom', name: 'patch', format: { type: 'grammar', ...grammar } },
    { type: 'namespace', name: 'files', description: 'Files.', tools: [read] },
    ...[search, interpreter],
  ];

  test('tools are mapped to the canonical request', () => {
    expect(canonical({ ...valid, tools }).tools).toEqual([
      f,
      { type: 'function', name: 'bare' },
      { type: 'custom', name: 'patch', format: { type: 'grammar', grammar } },
      { type: 'function', name: 'files__read', description: 'Files.\n\nReads.' },
      { type: 'web-search', location: { city: 'Oslo' }, own: { format: 'responses', value: search } },
      opaque(interpreter, 'responses'),
    ]);
  });

  test.each<[object, string | undefined]>([
    [{ type: 'web_search', external_web_access: false }, undefined],
    [{ type: 'web_search', filters: { allowed_domains: ['a.example'] } }, 'opaque'],
    [{ type: 'tool_search', execution: 'client' }, 'function'],
    [{ type: 'tool_search', execution: 'server' }, 'opaque'],
  ])('%j is %s elsewhere', (tool, type) => {
    expect(canonical({ ...valid, tools: [tool] }).tools?.[0].type).toBe(type);
  });

  test.each(
    rows<[unknown, object]>`
    - [required, {type: required}]
    - [{type: function, name: f}, {type: tool, name: f}]
    - [{type: custom, name: patch}, {type: tool, name: patch}]
    - [{type: function, name: read, namespace: files}, {type: tool, name: files__read}]
    - [{type: web_search_preview}, {type: tool, name: web_search}]
    - [{type: shell}, {type: tool, name: shell}]
    - - {type: allowed_tools, mode: required, tools: [{type: function, name: f}, {type: namespace, name: files}]}
      - {type: required, names: [f, files__read]}
    - - {type: allowed_tools, mode: auto, tools: [{type: namespace, name: files}, {type: namespace, name: files}, {type: namespace}]}
      - {type: auto, names: [files__read]}
  `,
  )('the tool_choice %j is mapped to the canonical request', (tool_choice, choice) => {
    const { toolChoice, tools: offered } = canonical({ ...valid, tools, tool_choice });
    expect(toolChoice).toEqual(choice);
    const searches = offered.some(({ type }: { type: string }) => type === 'web-search');
    expect(searches).toBe(!('names' in choice));
  });

  test('numbers in a schema keep the client’s spelling', () => {
    const f = '{"type":"function","name":"f","parameters":{"maximum":12345678901234567890}}';
    const json = `{"model":"m","input":"Hi","tools":[${f}]}`;
    const request = parse(JSON.parse(json), {}, Buffer.from(json)).canonical();
    expect(JSON.stringify(request)).toContain('"maximum":12345678901234567890');
  });
});

test.each([
  [{ max_output_tokens: 70 }, 70],
  [{ max_output_tokens: null }, undefined],
  [{}, undefined],
])('the most output of %j is %s', (fields, tokens) => {
  expect(parse({ ...valid, ...fields }).maxTokens).toBe(tokens);
});
