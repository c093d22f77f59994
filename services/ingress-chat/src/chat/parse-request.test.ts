import { GatewayError, type GenerateRequest } from '@model-gateway/canonical';
import type { ParsedGenerate } from '@model-gateway/ingress';
import { describe, expect, test } from 'vitest';
import { parse } from './parse.ts';

const hi = { role: 'user', content: 'Hi' };
const body = (fields: object) => ({ model: 'm', messages: [hi], ...fields });
const canonical = (fields: object = {}): GenerateRequest =>
  (parse(body(fields)) as ParsedGenerate).canonical();
const messages = (...turns: object[]) => canonical({ messages: turns }).messages;

function refusal(...turns: object[]) {
  try {
    messages(...turns);
  } catch (error) {
    if (error instanceof GatewayError) return { kind: error.kind, message: error.message, ...error.details };
    throw error;
  }
  throw new Error('not refused');
}

const weather = (id: string, args: string | null = '{"city":"Oslo"}') => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: args },
});
const calls = (...tool_calls: object[]) => ({ role: 'assistant', content: null, tool_calls });
const result = (id: string, content: unknown = '4 C') => ({ role: 'tool', tool_call_id: id, content });
const call = (id: string, args = '{"city":"Oslo"}') => ({
  type: 'tool-call',
  id,
  name: 'weather',
  arguments: args,
});
const text = (value: string) => ({ type: 'text', text: value });

describe('fields', () => {
  const schema = { type: 'object', properties: {} };
  const fn = { name: 'f', description: 'd', parameters: schema, strict: true };
  test.each<[object, object]>([
    [{ max_tokens: 5 }, { maxTokens: 5 }],
    [{ max_tokens: 5, max_completion_tokens: 7 }, { maxTokens: 7 }],
    [
      { temperature: 0, top_p: 1, top_k: 3 },
      { temperature: 0, topP: 1, topK: 3 },
    ],
    [{ stop: 'END' }, { stop: ['END'] }],
    [{ stop: ['a', 'b'] }, { stop: ['a', 'b'] }],
    [
      { n: 2, seed: 7 },
      { n: 2, seed: 7 },
    ],
    [
      { presence_penalty: 1, frequency_penalty: -1 },
      { presencePenalty: 1, frequencyPenalty: -1 },
    ],
    [{ logprobs: true, top_logprobs: 2 }, { logprobs: { top: 2 } }],
    [{ logprobs: true }, { logprobs: {} }],
    [{ logprobs: false, top_logprobs: 2 }, {}],
    [{ logit_bias: { 50256: -100 } }, { logitBias: { 50256: -100 } }],
    [
      { modalities: ['text'], verbosity: 'low', service_tier: 'flex' },
      { modalities: ['text'], verbosity: 'low', serviceTier: 'flex' },
    ],
    [{ user: 'u' }, { user: 'u' }],
    [{ user: 'u', safety_identifier: 's' }, { user: 's' }],
    [{ metadata: { a: 'b' } }, { metadata: { a: 'b' } }],
    [{ reasoning_effort: 'low' }, { reasoning: { effort: 'low', show: true } }],
    [{ reasoning_effort: 'none' }, { reasoning: { effort: 'none' } }],
    [{ response_format: { type: 'text' } }, { output: { type: 'text' } }],
    [{ response_format: { type: 'json_object' } }, { output: { type: 'json' } }],
    [
      { response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } } },
      { output: { type: 'schema', name: 'n', schema, strict: true } },
    ],
    [{ tools: [{ type: 'function', function: fn }] }, { tools: [{ type: 'function', ...fn }] }],
    [
      {
        tools: [
          {
            type: 'function',
            function: { name: 'f', strict: null },
            cache_control: { type: 'ephemeral', ttl: '1h' },
          },
        ],
      },
      { tools: [{ type: 'function', name: 'f', cache: { ttl: '1h' } }] },
    ],
    [
      { tools: [{ type: 'custom', custom: { name: 'c', format: { type: 'text' } } }] },
      { tools: [{ type: 'custom', name: 'c', format: { type: 'text' } }] },
    ],
    [
      { functions: [{ name: 'f', parameters: schema }], function_call: { name: 'f' } },
      {
        tools: [{ type: 'function', name: 'f', parameters: schema }],
        toolChoice: { type: 'tool', name: 'f' },
        parallelToolCalls: false,
      },
    ],
    [{ tool_choice: 'none' }, { toolChoice: { type: 'none' } }],
    [{ tool_choice: 'auto' }, { toolChoice: { type: 'auto' } }],
    [{ tool_choice: 'required' }, { toolChoice: { type: 'required' } }],
    [
      { tool_choice: { type: 'function', function: { name: 'f' } } },
      { toolChoice: { type: 'tool', name: 'f' } },
    ],
    [{ tool_choice: { type: 'custom', custom: { name: 'c' } } }, { toolChoice: { type: 'tool', name: 'c' } }],
    [
      {
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] },
        },
      },
      { toolChoice: { type: 'required', names: ['f'] } },
    ],
    [{ parallel_tool_calls: false }, { parallelToolCalls: false }],
    [
      { store: true, prediction: { type: 'content', content: 'x' } },
      { extensions: { chat: { store: true, prediction: { type: 'content', content: 'x' } } } },
    ],
    [
      {
        stream: true,
        stream_options: { include_usage: true },
        temperature: null,
        tools: null,
        stop: null,
        brand_new: null,
      },
      {},
    ],
  ])('the fields %j are translated', (fields, expected) => {
    expect(canonical(fields)).toEqual({ messages: [{ role: 'user', content: [text('Hi')] }], ...expected });
  });

  test.each<[object, string]>([
    [{ tools: [{ type: 'magic' }] }, 'tools[0].type'],
    [{ tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name'],
    [{ tool_choice: 'perhaps' }, 'tool_choice'],
    [{ metadata: { a: 1 } }, 'metadata.a'],
    [{ response_format: { type: 'xml' } }, 'response_format.type'],
  ])('an untranslatable field is named: %j', (fields, param) => {
    expect(() => parse(body(fields))).not.toThrow();
    try {
      canonical(fields);
      expect.unreachable();
    } catch (error) {
      expect((error as GatewayError).details.param).toBe(param);
    }
  });
});

describe('messages', () => {
  test('instructions keep their position', () => {
    const got = messages(
      { role: 'developer', content: 'a' },
      hi,
      { role: 'system', content: [{ type: 'text', text: 'b' }] },
      hi,
    );
    expect(got.map(({ role }) => role)).toEqual(['system', 'user', 'system', 'user']);
  });

  test('a conversation of instructions only stays as it is', () => {
    expect(messages({ role: 'system', content: 'a' })).toEqual([{ role: 'system', content: [text('a')] }]);
  });

  test.each<[string, object, object]>([
    [
      'an image in a data URL',
      { type: 'image_url', image_url: { url: 'data:image/jpg;base64,iVBO', detail: 'low' } },
      { kind: 'image', mediaType: 'image/jpeg', source: { type: 'base64', data: 'iVBO' } },
    ],
    [
      'an image without base64',
      { type: 'image_url', image_url: { url: 'data:image/svg+xml,%3Csvg%2F%3E' } },
      {
        kind: 'image',
        mediaType: 'image/svg+xml',
        source: { type: 'base64', data: Buffer.from('<svg/>').toString('base64') },
      },
    ],
    [
      'an image by link',
      { type: 'image_url', image_url: { url: 'https://x.example/a.png' } },
      { kind: 'image', source: { type: 'url', url: 'https://x.example/a.png' } },
    ],
    [
      'mp3',
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } },
      { kind: 'audio', mediaType: 'audio/mpeg', source: { type: 'base64', data: 'AA==' } },
    ],
    [
      'wav',
      { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
      { kind: 'audio', mediaType: 'audio/wav', source: { type: 'base64', data: 'AA==' } },
    ],
    [
      'a PDF',
      { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE', filename: 'a.txt' } },
      {
        kind: 'document',
        mediaType: 'application/pdf',
        name: 'a.txt',
        source: { type: 'base64', data: 'JVBE' },
      },
    ],
    [
      'a text file',
      { type: 'file', file: { file_data: 'data:text/plain;base64,SGk=', filename: 'a' } },
      { kind: 'document', mediaType: 'text/plain', name: 'a', source: { type: 'text', text: 'Hi' } },
    ],
    [
      'a stored file',
      { type: 'file', file: { file_id: 'file-1' } },
      { kind: 'document', source: { type: 'file', id: 'file-1', format: 'chat' } },
    ],
  ])('a user message may contain %s', (_what, part, expected) => {
    expect(messages({ role: 'user', content: [part] })[0]?.content).toEqual([{ type: 'media', ...expected }]);
  });

  test('cache breakpoints on parts and messages are kept', () => {
    const cache_control = { type: 'ephemeral' };
    expect(
      messages(
        {
          role: 'system',
          content: [
            { type: 'text', text: 'a', cache_control: { ...cache_control, ttl: '1h' } },
            { type: 'text', text: 'b' },
          ],
        },
        { role: 'user', content: 'Hi', cache_control },
        {
          role: 'user',
          content: [{ type: 'text', text: 'c', prompt_cache_breakpoint: { mode: 'explicit', ttl: '12h' } }],
        },
      ).map(({ content }) => content),
    ).toEqual([
      [{ ...text('a'), cache: { ttl: '1h' } }, text('b')],
      [{ ...text('Hi'), cache: {} }],
      [{ ...text('c'), cache: {} }],
    ]);
  });

  test('pitfall 11: results of one turn are one message', () => {
    expect(
      messages(
        hi,
        calls(weather('a'), weather('b', '')),
        result('b', [{ type: 'text', text: '18 C' }]),
        result('a'),
        hi,
      ).slice(1),
    ).toEqual([
      { role: 'assistant', content: [call('a'), call('b', '')] },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', callId: 'b', content: [text('18 C')] },
          { type: 'tool-result', callId: 'a', content: [text('4 C')] },
        ],
      },
      { role: 'user', content: [text('Hi')] },
    ]);
  });

  test('pitfall 28: text and refusal are kept beside calls; pitfall 16: empty text is dropped', () => {
    const turn = (content: unknown, more = {}) =>
      messages(hi, { ...calls(weather('a')), content, ...more }, result('a'))[1]?.content;
    expect(turn('So')).toEqual([text('So'), call('a')]);
    expect(turn('')).toEqual([call('a')]);
    expect(turn([{ type: 'refusal', refusal: 'No' }], { refusal: 'Never' })).toEqual([
      { type: 'refusal', text: 'No' },
      { type: 'refusal', text: 'Never' },
      call('a'),
    ]);
  });

  test('pitfall 18: reasoning blocks keep their order and signatures, even without text', () => {
    const thinking_blocks = [
      { type: 'thinking', thinking: 'Hm', signature: 'EqQB' },
      { type: 'thinking', thinking: '', signature: 'EqQC' },
      { type: 'redacted_thinking', data: 'EmwK' },
      { type: 'thinking', thinking: 'gg', signature: 'gg:sig' },
      { type: 'thinking', thinking: 'open', signature: '' },
    ];
    expect(
      messages(hi, { role: 'assistant', content: 'x', reasoning_content: 'Hm', thinking_blocks }, hi)[1]
        ?.content,
    ).toEqual([
      { type: 'reasoning', text: 'Hm', signature: { format: 'messages', value: 'EqQB' } },
      { type: 'reasoning', text: '', signature: { format: 'messages', value: 'EqQC' } },
      { type: 'reasoning', text: '', redacted: true, signature: { format: 'messages', value: 'EmwK' } },
      { type: 'reasoning', text: 'gg', signature: { format: 'generate-content', value: 'sig' } },
      { type: 'reasoning', text: 'open' },
      text('x'),
    ]);
  });

  test.each(['reasoning_content', 'reasoning'])('%s alone is unsigned reasoning', field => {
    expect(messages(hi, { role: 'assistant', content: 'x', [field]: 'Hm' }, hi)[1]?.content[0]).toEqual({
      type: 'reasoning',
      text: 'Hm',
    });
  });

  test('pitfall 4, 5: call signatures are read from every place that clients use, and removed from ids', () => {
    const signature = { format: 'generate-content', value: 's+/=' };
    const [, assistant, tool] = messages(
      hi,
      calls(
        { ...weather('a'), extra_content: { google: { thought_signature: 's+/=' } } },
        { ...weather('b'), provider_specific_fields: { thought_signature: 's+/=' } },
        weather('c__thought__s+/='),
      ),
      result('a'),
      result('b'),
      result('c__thought__s+/='),
    );
    expect(assistant?.content).toEqual(['a', 'b', 'c'].map(id => ({ ...call(id), signature })));
    expect(tool?.content[2]).toMatchObject({ callId: 'c' });
  });

  test('a legacy function call is matched to its result by name', () => {
    const [, assistant, tool] = messages(
      hi,
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: null },
    );
    expect(assistant?.content).toEqual([
      { type: 'tool-call', id: 'call_messages1', name: 'f', arguments: '{}' },
    ]);
    expect(tool?.content).toEqual([{ type: 'tool-result', callId: 'call_messages1', content: [text('')] }]);
  });

  test('a custom call has free text', () => {
    const custom = { id: 'a', type: 'custom', custom: { name: 'sql', input: 'SELECT 1' } };
    expect(messages(hi, calls(custom), result('a'))[1]?.content).toEqual([
      { type: 'tool-call', id: 'a', name: 'sql', arguments: 'SELECT 1', custom: true },
    ]);
  });

  test.each<[string, object[], string]>([
    [
      'arguments that are not JSON',
      [hi, calls(weather('a'), weather('b', '{"city":')), result('a'), result('b')],
      'messages[1].tool_calls[1].function.arguments',
    ],
    ['a result without a call', [hi, result('x')], 'messages[1].tool_call_id'],
    ['a second result', [hi, calls(weather('a')), result('a'), result('a')], 'messages[3].tool_call_id'],
    [
      'a legacy result without a call',
      [hi, { role: 'function', name: 'f', content: 'x' }],
      'messages[1].name',
    ],
    ['a call without a result', [hi, calls(weather('a'), weather('b')), result('a'), hi], 'messages[1]'],
    ['a call at the end', [hi, calls(weather('a'))], 'messages[1]'],
    [
      'audio stored at another vendor',
      [hi, { role: 'assistant', audio: { id: 'a' } }, hi],
      'messages[1].audio',
    ],
    [
      'a part of an unknown type',
      [{ role: 'user', content: [{ type: 'video_url' }] }],
      'messages[0].content[0].type',
    ],
    [
      'a part without its text',
      [{ role: 'user', content: [{ type: 'text' }] }],
      'messages[0].content[0].text',
    ],
    [
      'a broken data URL',
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png' } }] }],
      'messages[0].content[0].image_url.url',
    ],
    [
      'a file without content',
      [{ role: 'user', content: [{ type: 'file', file: {} }] }],
      'messages[0].content[0].file.file_data',
    ],
  ])('messages with %s are rejected only when translated', (_what, turns, param) => {
    expect(() => parse({ model: 'm', messages: turns })).not.toThrow();
    expect(refusal(...turns)).toMatchObject({ kind: 'invalid-request', param });
  });

  test('calls without results are named in the error', () => {
    expect(refusal(hi, calls(weather('a'), weather('b')), hi).message).toContain('a, b');
  });
});

describe('errors name the field', () => {
  const fault = (fields: object) => {
    try {
      canonical(fields);
    } catch (error) {
      if (error instanceof GatewayError) return { message: error.message, ...error.details };
      throw error;
    }
    return undefined;
  };
  const called = (tool_call: unknown) => ({ messages: [hi, { role: 'assistant', tool_calls: [tool_call] }] });
  const at = 'messages[1].tool_calls[0]';
  test.each<[object, string, string]>([
    [
      called({ id: 'a', type: 'function', function: {} }),
      `${at}.function.name`,
      'missing_required_parameter',
    ],
    [called({ id: 'a', type: 'function' }), `${at}.function`, 'missing_required_parameter'],
    [called({ id: 'a', function: { name: 3 } }), `${at}.function.name`, 'invalid_type'],
    [called({ id: 'a', function: { name: 'f', arguments: {} } }), `${at}.function.arguments`, 'invalid_type'],
    [called({ type: 'function', function: { name: 'f' } }), `${at}.id`, 'missing_required_parameter'],
    [called({ id: 'a', type: 'custom' }), `${at}.custom`, 'missing_required_parameter'],
    [called({ id: 'a', type: 'other' }), `${at}.type`, 'invalid_value'],
    [called(1), at, 'invalid_type'],
    [{ tool_choice: 'other' }, 'tool_choice', 'invalid_value'],
    [{ tool_choice: { type: 'other' } }, 'tool_choice.type', 'invalid_value'],
    [
      { tool_choice: { type: 'custom', custom: {} } },
      'tool_choice.custom.name',
      'missing_required_parameter',
    ],
    [
      { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'none', tools: [] } } },
      'tool_choice.allowed_tools.mode',
      'invalid_value',
    ],
    [{ function_call: 'other' }, 'function_call', 'invalid_value'],
    [{ function_call: {} }, 'function_call.name', 'missing_required_parameter'],
  ])('%j is rejected with the name of the field', (fields, param, code) => {
    expect(fault(fields)).toMatchObject({ param, code, message: expect.stringContaining(`'${param}'`) });
  });

  test('an error lists the allowed values', () => {
    expect(fault(called({ id: 'a', type: 'other' }))?.message).toContain(
      "expected one of 'function', 'custom', but",
    );
    expect(fault({ tool_choice: 'other' })?.message).toContain("'none', 'auto', 'required' or an object");
  });

  test('arguments that nest too deeply are rejected', () => {
    const args = '['.repeat(600) + ']'.repeat(600);
    expect(fault(called(weather('a', args)))).toMatchObject({
      param: `${at}.function.arguments`,
      message: expect.stringContaining('levels deep'),
    });
  });
});

test('schemas keep exact numbers and keys such as __proto__', () => {
  const schema =
    '{"type":"object","maximum":12345678901234567890,"__proto__":{"a":1.0},"b":{"__proto__":{}}}';
  const fn = `{"name":"f","parameters":${schema}}`;
  const text = `{"model":"m","messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"function","function":${fn}}],
    "response_format":{"type":"json_schema","json_schema":{"name":"r","schema":${schema}}},"functions":[${fn}]}`;
  const { tools, output } = parse(JSON.parse(text), {}, Buffer.from(text)).canonical();
  const tool = `{"type":"function","name":"f","parameters":${schema}}`;
  expect(JSON.stringify(tools)).toBe(`[${tool},${tool}]`);
  expect(JSON.stringify(output)).toBe(`{"type":"schema","schema":${schema},"name":"r"}`);
});
