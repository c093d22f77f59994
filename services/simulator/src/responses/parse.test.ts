import { describe, expect, test } from 'vitest';
import { ApiError } from '../api-error.ts';
import { encrypted, Store } from './history.ts';
import { parse } from './parse.ts';

const ask = (body: object, store = new Store()) => parse({ model: 'sim-fast', input: 'Hi', ...body }, store);
const user = { role: 'user', content: 'Hi' };
const said = { role: 'assistant', content: 'Hello' };
const call = { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{}' };
const output = { type: 'function_call_output', call_id: 'c1', output: '4 C' };

/** The error for an invalid request. */
function refusalOf(body: object, store?: Store): ApiError {
  try {
    ask(body, store);
  } catch (thrown) {
    if (thrown instanceof ApiError) return thrown;
    throw thrown;
  }
  throw new Error('The request was not rejected.');
}

test.each<[object, string | null, string | null]>([
  [{ seed: 1 }, 'unknown_parameter', 'seed'],
  [{ stop: ['x'] }, 'unknown_parameter', 'stop'],
  [{ model: undefined }, 'missing_required_parameter', 'model'],
  [{ input: null }, 'missing_required_parameter', 'input'],
  [{ input: 7 }, 'invalid_type', 'input'],
  [{ input: [{ type: 'dream' }] }, 'invalid_value', 'input[0].type'],
  [{ input: [{ role: 'tool', content: 'x' }] }, 'invalid_value', 'input[0].role'],
  [{ input: [{ role: 'user' }] }, 'missing_required_parameter', 'input[0].content'],
  [{ input: [{ ...user, name: 'Ada' }] }, 'unknown_parameter', 'input[0].name'],
  [
    { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }] },
    'invalid_value',
    'input[0].content[0].type',
  ],
  [
    { input: [{ role: 'user', content: [{ type: 'output_text', text: 'x' }] }] },
    'invalid_value',
    'input[0].content[0].type',
  ],
  [
    { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'picture' }] }] },
    'invalid_value',
    'input[0].content[0].image_url',
  ],
  [{ input: [user, { ...call, id: 'call_1' }, output] }, 'invalid_value', 'input[1].id'],
  [{ input: [user, { ...call, call_id: 'x'.repeat(65) }] }, 'string_above_max_length', 'input[1].call_id'],
  [{ input: [user, { ...call, name: 'the weather' }, output] }, 'invalid_value', 'input[1].name'],
  [{ max_output_tokens: 15 }, 'integer_below_min_value', 'max_output_tokens'],
  [{ temperature: 2.5 }, 'decimal_above_max_value', 'temperature'],
  [{ include: ['everything'] }, 'invalid_value', 'include[0]'],
  [{ reasoning: { effort: 'extreme' } }, 'invalid_value', 'reasoning.effort'],
  [
    { text: { format: { type: 'json_schema', name: 'x' } } },
    'missing_required_parameter',
    'text.format.schema',
  ],
  [{ text: { format: { type: 'json_object' } } }, null, 'input'],
  [
    {
      text: {
        format: { type: 'json_schema', name: 'x', strict: true, schema: { type: 'object', properties: {} } },
      },
    },
    'invalid_json_schema',
    'text.format.schema',
  ],
  [
    {
      tools: [{ type: 'function', name: 'f', strict: true, parameters: { type: 'object', properties: {} } }],
    },
    'invalid_function_parameters',
    'tools[0].parameters',
  ],
  [{ tools: [{ type: 'function', function: { name: 'f' } }] }, 'missing_required_parameter', 'tools[0].name'],
  [{ tool_choice: 'required' }, null, 'tool_choice'],
  [{ tool_choice: 'maybe' }, 'invalid_value', 'tool_choice'],
  [{ tool_choice: { type: 'function', name: 'f' } }, null, 'tool_choice'],
  [{ background: true }, 'unsupported_parameter', 'background'],
  [{ previous_response_id: 'resp_1' }, 'previous_response_not_found', 'previous_response_id'],
])('%j is rejected', (body, code, param) => {
  expect(refusalOf(body)).toMatchObject({ status: 400, code, param });
});

test.each<[string, object[], RegExp]>([
  ['a call without output', [user, call], /No tool output found for function call c1/],
  ['an output without call', [user, output], /No tool call found for function call output with call_id c1/],
  ['an output before its call', [user, output, call], /No tool call found/],
  [
    'a custom output for a function',
    [user, call, { ...output, type: 'custom_tool_call_output' }],
    /No tool output found for function call c1/,
  ],
  [
    'an item twice',
    [user, { ...said, id: 'msg_1' }, { ...said, id: 'msg_1' }],
    /Duplicate item found with id msg_1/,
  ],
])('%s is rejected', (_what, input, message) => {
  expect(refusalOf({ input }).message).toMatch(message);
});

describe('reasoning', () => {
  const made = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: encrypted('rs_1', 'Hm.') };

  test.each([
    ['unchanged', made],
    ['without its id', { ...made, id: undefined }],
    ['with a null for its content', { ...made, content: null }],
  ])('is accepted %s', (_how, item) => {
    const { prompt } = ask({ input: [user, item, said, user] });
    expect(prompt.context).toContain('Hm.');
  });

  test.each([
    ['of another vendor', { encrypted_content: 'am:EqQB' }],
    ['that was changed', { encrypted_content: encrypted('rs_1', 'Hm!').slice(0, -4) }],
    ['of another item', { id: 'rs_2' }],
  ])('%s is rejected', (_what, more) => {
    expect(refusalOf({ input: [user, { ...made, ...more }, said, user] })).toMatchObject({
      status: 400,
      code: 'invalid_encrypted_content',
    });
  });

  test('without a following item is rejected', () => {
    expect(refusalOf({ input: [user, made, user] }).message).toMatch(/without its required following item/);
  });

  test('without encrypted content is accepted if it is stored', () => {
    const item = { type: 'reasoning' as const, id: 'rs_1', summary: [] };
    const input = [user, item, said, user];
    expect(refusalOf({ input })).toMatchObject({ status: 404, param: 'input' });
    const store = new Store();
    store.keep('resp_1', [], [item]);
    expect(ask({ input }, store)).toBeDefined();
  });
});

test('the store forgets the oldest response after a thousand', () => {
  const store = new Store();
  const item = (at: number) => ({ type: 'reasoning' as const, id: `rs_${at}`, summary: [] });
  for (let at = 0; at <= 1_000; at++) store.keep(`resp_${at}`, [], [item(at)]);
  expect(store.response('resp_0')).toBeUndefined();
  expect(store.item('rs_0')).toBeUndefined();
  expect(store.response('resp_1')).toEqual([item(1)]);
});

test('a null is treated as unset', () => {
  const nulls = [
    'tools',
    'tool_choice',
    'text',
    'reasoning',
    'store',
    'stream',
    'metadata',
    'include',
    'top_p',
  ];
  expect(ask(Object.fromEntries(nulls.map(name => [name, null])))).toMatchObject({ stream: false });
});

test('the request of a coding agent is accepted', () => {
  const patch = {
    type: 'custom',
    name: 'apply_patch',
    format: { type: 'grammar', syntax: 'lark', definition: 's' },
  };
  const plain = {
    type: 'function',
    name: 'shell',
    description: 'd',
    strict: false,
    parameters: { type: 'object' },
  };
  const { prompt, origins } = ask({
    instructions: null,
    input: [
      {
        type: 'message',
        id: 'msg_1',
        role: 'developer',
        content: [{ type: 'input_text', text: 'Be brief.' }],
      },
      {
        type: 'additional_tools',
        role: 'developer',
        tools: [{ type: 'namespace', name: 'code', tools: [plain] }],
      },
      { type: 'message', id: 'msg_2', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
    ],
    tools: [
      plain,
      patch,
      { type: 'tool_search', execution: 'client', parameters: {} },
      { type: 'web_search', external_web_access: false },
    ],
    tool_choice: 'auto',
    parallel_tool_calls: false,
    reasoning: { effort: 'medium', summary: 'auto' },
    store: false,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'session',
    text: { verbosity: 'low' },
    client_metadata: { thread: 'x' },
  });
  expect(prompt).toMatchObject({
    instructions: 'Be brief.',
    question: 'Hi',
    parallel: false,
    effort: 'medium',
  });
  expect(origins.get('code.shell')).toEqual({ name: 'shell', namespace: 'code' });
});
