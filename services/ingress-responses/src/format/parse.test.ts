import { GatewayError } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { parse } from './parse.ts';

const valid = { model: 'm', input: 'Hi' };
const many = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v']));

interface Refused {
  kind: string;
  param?: string;
  code?: string;
  message: string;
}

function refused(make: () => unknown): Refused {
  try {
    make();
  } catch (error) {
    if (error instanceof GatewayError) return { kind: error.kind, message: error.message, ...error.details };
    throw error;
  }
  throw new Error('not refused');
}

/** The canonical request, serialized as for the bus. */
function canonical(fields: Record<string, unknown>) {
  return JSON.parse(JSON.stringify(parse({ model: 'm', ...fields }).canonical()));
}
const messages = (input: unknown) => canonical({ input }).messages;

describe('an invalid request is rejected with the name of the field', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['model', { input: 'Hi' }, 'missing_required_parameter'],
    ['model', { ...valid, model: 5 }, 'invalid_type'],
    ['model', { ...valid, model: '' }, 'invalid_value'],
    ['input', { model: 'm' }, 'missing_required_parameter'],
    ['input', { model: 'm', input: 5 }, 'invalid_type'],
    ['input[0]', { model: 'm', input: ['Hi'] }, 'invalid_type'],
    ['instructions', { ...valid, instructions: 5 }, 'invalid_type'],
    ['stream', { ...valid, stream: 'true' }, 'invalid_type'],
    ['temperature', { ...valid, temperature: 2.1 }, 'decimal_above_max_value'],
    ['top_p', { ...valid, top_p: -1 }, 'decimal_below_min_value'],
    ['top_logprobs', { ...valid, top_logprobs: 21 }, 'integer_above_max_value'],
    ['max_output_tokens', { ...valid, max_output_tokens: 0 }, 'integer_below_min_value'],
    ['max_output_tokens', { ...valid, max_output_tokens: 1.5 }, 'invalid_type'],
    ['max_tool_calls', { ...valid, max_tool_calls: 0 }, 'integer_below_min_value'],
    ['metadata', { ...valid, metadata: many }, 'object_above_max_properties'],
    ['metadata.a', { ...valid, metadata: { a: 1 } }, 'invalid_type'],
    ['tools', { ...valid, tools: {} }, 'invalid_type'],
    ['tools[0].type', { ...valid, tools: [{}] }, 'missing_required_parameter'],
    ['tool_choice', { ...valid, tool_choice: 1 }, 'invalid_type'],
    ['text', { ...valid, text: 'json' }, 'invalid_type'],
    ['reasoning', { ...valid, reasoning: 'high' }, 'invalid_type'],
    ['include', { ...valid, include: 'x' }, 'invalid_type'],
    ['store', { ...valid, store: 'no' }, 'invalid_type'],
    ['truncation', { ...valid, truncation: 'always' }, 'invalid_value'],
    ['background', { ...valid, background: true }, 'unsupported_parameter'],
    ['previous_response_id', { ...valid, previous_response_id: 'resp_1' }, 'previous_response_not_found'],
    ['input[0].id', { model: 'm', input: [{ type: 'item_reference', id: 'rs_1' }] }, 'invalid_value'],
    ['input[0].id', { model: 'm', input: [{ id: 'rs_1' }] }, 'invalid_value'],
  ])('%s is invalid in %j: %s', (param, body, code) => {
    expect(refused(() => parse(body))).toMatchObject({ kind: 'invalid-request', param, code });
  });

  test('a conversation id is rejected as not found', () => {
    const error = refused(() => parse({ ...valid, conversation: { id: 'conv_1' } }));
    expect(error).toMatchObject({ kind: 'not-found', param: 'conversation' });
    expect(error.message).toBe("Conversation with id 'conv_1' not found.");
  });

  test.each<[string, Record<string, unknown>]>([
    ['input[0].role', { input: [{ role: 'robot', content: 'Hi' }] }],
    ['input[0].type', { input: [{ type: 'nothing' }] }],
    ['input[0].content', { input: [{ role: 'user', content: 5 }] }],
    ['input[0].content[0].type', { input: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }],
    [
      'input[0].content[0].type',
      { input: [{ role: 'system', content: [{ type: 'input_image', image_url: 'x' }] }] },
    ],
    ['input[0].content[0].image_url', { input: [{ role: 'user', content: [{ type: 'input_image' }] }] }],
    [
      'input[0].content[0].image_url',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:x' }] }] },
    ],
    [
      'input[0].content[0].file_data',
      { input: [{ role: 'user', content: [{ type: 'input_file', filename: 'a' }] }] },
    ],
    ['input[0].call_id', { input: [{ type: 'function_call_output', call_id: 'c', output: 'x' }] }],
    ['input', { input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }] }],
    ['input[0].arguments', { input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{' }] }],
    ['input[0]', { input: [{ type: 'compaction', encrypted_content: 'x' }] }],
    ['input[0]', { input: [{ type: 'compaction_trigger' }, { role: 'user', content: 'x' }] }],
    ['prompt', { input: 'x', prompt: { id: 'p' } }],
    ['tool_choice', { input: 'x', tool_choice: 'all' }],
    ['tool_choice.name', { input: 'x', tool_choice: { type: 'function' } }],
    ['input', { input: [] }],
    ['text.format.type', { input: 'x', text: { format: { type: 'yaml' } } }],
    ['text.format.schema', { input: 'x', text: { format: { type: 'json_schema', name: 'n' } } }],
    ['text.verbosity', { input: 'x', text: { verbosity: 'loud' } }],
    ['reasoning.effort', { input: 'x', reasoning: { effort: 'huge' } }],
    ['tools[0].name', { input: 'x', tools: [{ type: 'function' }] }],
    ['max_tool_calls', { input: 'x', max_tool_calls: 2, tools: [{ type: 'web_search' }] }],
  ])('%s is invalid in %j when the request is translated', (param, fields) => {
    expect(refused(() => parse({ model: 'm', ...fields }).canonical())).toMatchObject({
      kind: 'invalid-request',
      param,
    });
  });
});

describe('a valid request', () => {
  test('a request with unknown fields and null values is accepted', () => {
    const agent = {
      ...valid,
      client_metadata: { session: '1' },
      input: [
        { role: 'user', content: 'Hi', id: 'msg_1', internal_chat_message_metadata_passthrough: {} },
        { type: 'reasoning', summary: [], content: null, encrypted_content: null },
      ],
      temperature: null,
      tools: null,
      metadata: null,
      previous_response_id: null,
      background: null,
    };
    expect(parse(agent)).toMatchObject({ model: 'm', stream: false });
    expect(canonical(agent)).toEqual({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      extensions: { responses: { client_metadata: { session: '1' } } },
    });
  });
});

describe('input items', () => {
  const user = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };

  test('a text input becomes a user message after the instructions', () => {
    expect(canonical({ input: 'Hi', instructions: 'Be brief.' }).messages).toEqual([
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      user,
    ]);
  });

  test('messages of every role are parsed with and without a type', () => {
    expect(
      messages([
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
      ]),
    ).toEqual([
      { role: 'system', content: [{ type: 'text', text: 'A' }] },
      { role: 'system', content: [{ type: 'text', text: 'B' }] },
      user,
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Yes' },
          { type: 'refusal', text: 'No' },
        ],
      },
    ]);
  });

  test('media parts are parsed', () => {
    const content = [
      { type: 'input_text', text: 'Look', prompt_cache_breakpoint: {} },
      { type: 'input_image', image_url: 'https://i.example/a', detail: 'low' },
      { type: 'input_image', image_url: 'data:image/jpg;base64,AAAA' },
      { type: 'input_image', file_id: 'file_1' },
      { type: 'input_file', file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' },
      { type: 'input_file', file_data: 'data:text/plain;base64,SGk=', filename: 'a.txt' },
      { type: 'input_file', file_url: 'https://x.example/a.pdf' },
      { type: 'input_file', file_id: 'file_2' },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
    ];
    const media = (kind: string, source: object, more = {}) => ({ type: 'media', kind, source, ...more });
    expect(messages([{ role: 'user', content }])[0].content).toEqual([
      { type: 'text', text: 'Look', cache: {} },
      media('image', { type: 'url', url: 'https://i.example/a' }),
      media('image', { type: 'base64', data: 'AAAA' }, { mediaType: 'image/jpeg' }),
      media('image', { type: 'file', id: 'file_1', format: 'responses' }),
      media('document', { type: 'base64', data: 'JVBE' }, { mediaType: 'application/pdf', name: 'a.pdf' }),
      media('document', { type: 'text', text: 'Hi' }, { mediaType: 'text/plain', name: 'a.txt' }),
      media('document', { type: 'url', url: 'https://x.example/a.pdf' }),
      media('document', { type: 'file', id: 'file_2', format: 'responses' }),
      media('audio', { type: 'base64', data: 'AAAA' }, { mediaType: 'audio/mpeg' }),
    ]);
  });

  const call = (call_id: string) => ({
    type: 'function_call',
    id: `fc_${call_id}`,
    call_id,
    name: 'f',
    arguments: '{}',
  });
  const output = (call_id: string, output: unknown = 'done') => ({
    type: 'function_call_output',
    call_id,
    output,
  });
  const called = (id: string) => ({ type: 'tool-call', id, name: 'f', arguments: '{}' });
  const gave = (callId: string) => ({
    type: 'tool-result',
    callId,
    content: [{ type: 'text', text: 'done' }],
  });

  test('consecutive model output is one turn, directly followed by the results of its calls', () => {
    expect(
      messages([
        { role: 'user', content: 'Hi' },
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 'Hm' }],
          encrypted_content: 'gAAA',
        },
        { role: 'assistant', content: 'Wait' },
        call('a'),
        call('b'),
        output('a'),
        { role: 'user', content: 'Hi' },
        output('b'),
        call('c'),
        output('c'),
      ]),
    ).toEqual([
      user,
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm', signature: { format: 'responses', value: 'gAAA' } },
          { type: 'text', text: 'Wait' },
          called('a'),
          called('b'),
        ],
      },
      { role: 'tool', content: [gave('a'), gave('b')] },
      user,
      { role: 'assistant', content: [called('c')] },
      { role: 'tool', content: [gave('c')] },
    ]);
  });

  test('results in parts and calls of custom, namespaced and search tools are parsed', () => {
    const [, assistant, results] = messages([
      { role: 'user', content: 'Hi' },
      { type: 'custom_tool_call', call_id: 'a', name: 'patch', input: '*** Begin' },
      { type: 'function_call', call_id: 'b', name: 'read', namespace: 'files', arguments: '' },
      { type: 'tool_search_call', call_id: 'c', execution: 'client', arguments: { query: 'x' } },
      { type: 'custom_tool_call_output', call_id: 'a', output: 'ok' },
      output('b', [
        { type: 'input_text', text: 'x' },
        { type: 'input_image', image_url: 'https://i.example/a' },
      ]),
      {
        type: 'tool_search_output',
        call_id: 'c',
        execution: 'client',
        tools: [{ type: 'function', name: 'g' }],
      },
    ]);
    expect(assistant.content).toEqual([
      { type: 'tool-call', id: 'a', name: 'patch', arguments: '*** Begin', custom: true },
      { type: 'tool-call', id: 'b', name: 'files__read', arguments: '' },
      { type: 'tool-call', id: 'c', name: 'tool_search', arguments: '{"query":"x"}' },
    ]);
    expect(results.content).toMatchObject([
      { callId: 'a', content: [{ text: 'ok' }] },
      { callId: 'b', content: [{ text: 'x' }, { type: 'media', kind: 'image' }] },
      { callId: 'c', content: [{ text: '{"tools":[{"type":"function","name":"g"}]}' }] },
    ]);
  });

  test('reasoning keeps its signature, and a separate signature moves back to its call', () => {
    const reasoning = (encrypted_content: string, text?: string) => ({
      type: 'reasoning',
      summary: text ? [{ type: 'summary_text', text }] : [],
      encrypted_content,
    });
    const [, assistant] = messages([
      { role: 'user', content: 'Hi' },
      reasoning('am:EqQB', 'Hm'),
      reasoning('am:redacted:Em'),
      call('a'),
      reasoning('gg:sig'),
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'raw' }] },
      output('a'),
    ]);
    const signature = (format: string, value: string) => ({ signature: { format, value } });
    expect(assistant.content).toEqual([
      { type: 'reasoning', text: 'Hm', ...signature('messages', 'EqQB') },
      { type: 'reasoning', text: '', redacted: true, ...signature('messages', 'Em') },
      { ...called('a'), ...signature('generate-content', 'sig') },
      { type: 'reasoning', text: 'raw' },
    ]);
  });

  test('a signature that another gateway put into a call id is removed from it', () => {
    const [assistant, results] = messages([call('a__thought__sig'), output('a__thought__sig')]);
    expect(assistant.content).toEqual([
      { ...called('a'), signature: { format: 'generate-content', value: 'sig' } },
    ]);
    expect(results.content).toEqual([gave('a')]);
    const custom = { type: 'custom_tool_call', call_id: 'b__thought__sig', name: 'f', input: 'x' };
    expect(messages([custom, output('b__thought__sig')])[1].content).toEqual([gave('b')]);
  });

  test('items of tools that the vendor runs are kept unchanged', () => {
    const search = {
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: { type: 'search', query: 'x' },
    };
    const shell = { type: 'shell_call_output', call_id: 's', output: [] };
    const opaque = (value: object) => ({ type: 'opaque', format: 'responses', value });
    expect(
      messages([
        { role: 'user', content: 'Hi' },
        search,
        { type: 'image_generation_call', id: 'ig_1', result: '/9j/AA' },
        shell,
      ]),
    ).toEqual([
      user,
      {
        role: 'assistant',
        content: [
          opaque(search),
          {
            type: 'media',
            kind: 'image',
            source: { type: 'base64', data: '/9j/AA' },
            mediaType: 'image/jpeg',
          },
        ],
      },
      { role: 'user', content: [opaque(shell)] },
    ]);
  });

  test.each<[boolean, Record<string, unknown>]>([
    [false, { type: 'reasoning', id: 'rs_1', encrypted_content: 'gAAA' }],
    [false, { type: 'reasoning', id: 'rs_1', content: [{ type: 'reasoning_text', text: 'x' }] }],
    [false, { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' }],
    [true, { type: 'reasoning', id: 'rs_1', encrypted_content: 'am:EqQB' }],
    [true, { type: 'reasoning', summary: [] }],
    [true, { type: 'reasoning', id: 'rs_1', summary: [], content: null, encrypted_content: null }],
    [true, { type: 'function_call', call_id: 'call_1__thought__s', name: 'f', arguments: '{}' }],
    [true, { type: 'function_call_output', call_id: 'x'.repeat(65), output: '' }],
  ])('a history is foreign: %s, with %j', (foreign, item) => {
    expect(parse({ model: 'm', input: [item] }).foreign).toBe(foreign);
  });
});

describe('settings', () => {
  test('settings are mapped to the canonical request', () => {
    const schema = { type: 'object', properties: {} };
    expect(
      canonical({
        ...valid,
        max_output_tokens: 50,
        temperature: 0.5,
        top_p: 0.9,
        presence_penalty: 0.1,
        frequency_penalty: 0.2,
        parallel_tool_calls: false,
        reasoning: { effort: 'high', summary: 'auto' },
        text: { format: { type: 'json_schema', name: 'n', schema, strict: true }, verbosity: 'low' },
        include: ['message.output_text.logprobs', 'reasoning.encrypted_content'],
        top_logprobs: 3,
        metadata: { a: 'b' },
        safety_identifier: 's',
        user: 'u',
        service_tier: 'flex',
        store: false,
        truncation: 'auto',
      }),
    ).toEqual({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      maxTokens: 50,
      temperature: 0.5,
      topP: 0.9,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      parallelToolCalls: false,
      reasoning: { effort: 'high', show: true },
      output: { type: 'schema', schema, name: 'n', strict: true },
      verbosity: 'low',
      logprobs: { top: 3 },
      metadata: { a: 'b' },
      user: 's',
      serviceTier: 'flex',
      extensions: { responses: { truncation: 'auto' } },
    });
  });

  test('configuration updates in the history override the settings', () => {
    const input = [
      { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'g' }] },
      { role: 'user', content: 'Hi' },
      {
        type: 'configuration_update',
        reasoning: { effort: 'low' },
        text: { format: { type: 'json_object' } },
      },
    ];
    expect(canonical({ input, reasoning: { effort: 'high', summary: 'auto' } })).toMatchObject({
      tools: [{ type: 'function', name: 'g' }],
      reasoning: { effort: 'low', show: true },
      output: { type: 'json' },
    });
  });

  const tools = [
    { type: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: false },
    { type: 'function', name: 'bare', parameters: null, strict: null },
    { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } },
    {
      type: 'namespace',
      name: 'files',
      description: 'Files.',
      tools: [{ type: 'function', name: 'read', description: 'Reads.' }],
    },
    { type: 'web_search', user_location: { type: 'approximate', city: 'Oslo' } },
    { type: 'code_interpreter', container: {} },
  ];

  test('tools are mapped to the canonical request', () => {
    expect(canonical({ ...valid, tools }).tools).toEqual([
      { type: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: false },
      { type: 'function', name: 'bare' },
      {
        type: 'custom',
        name: 'patch',
        format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "x"' } },
      },
      { type: 'function', name: 'files__read', description: 'Files.\n\nReads.' },
      { type: 'web-search', location: { city: 'Oslo' }, own: { format: 'responses', value: tools[4] } },
      { type: 'opaque', format: 'responses', value: tools[5] },
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

  test.each<[unknown, object]>([
    ['required', { type: 'required' }],
    [
      { type: 'function', name: 'f' },
      { type: 'tool', name: 'f' },
    ],
    [
      { type: 'custom', name: 'patch' },
      { type: 'tool', name: 'patch' },
    ],
    [
      { type: 'function', name: 'read', namespace: 'files' },
      { type: 'tool', name: 'files__read' },
    ],
    [{ type: 'web_search_preview' }, { type: 'tool', name: 'web_search' }],
    [{ type: 'shell' }, { type: 'tool', name: 'shell' }],
    [
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [
          { type: 'function', name: 'f' },
          { type: 'namespace', name: 'files' },
        ],
      },
      { type: 'required', names: ['f', 'files__read'] },
    ],
  ])('the tool_choice %j is mapped to the canonical request', (tool_choice, choice) => {
    const { toolChoice, tools: offered } = canonical({ ...valid, tools, tool_choice });
    expect(toolChoice).toEqual(choice);
    const searches = offered.some(({ type }: { type: string }) => type === 'web-search');
    expect(searches).toBe(!('names' in choice));
  });

  test('numbers in a schema keep the client’s spelling', () => {
    const text = `{"model":"m","input":"Hi","tools":[{"type":"function","name":"f","parameters":{"maximum":12345678901234567890}}]}`;
    const request = parse(JSON.parse(text), {}, Buffer.from(text)).canonical();
    expect(JSON.stringify(request)).toContain('"maximum":12345678901234567890');
  });
});
