import { describe, expect, test } from 'vitest';
import { ApiError } from '../common/api-error.ts';
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

const content = (role: string, part: object) => ({ input: [{ role, content: [part] }] });
const format = (more: object) => ({ text: { format: { type: 'json_schema', name: 'x', ...more } } });
const f = { type: 'function', name: 'f' };
const strict = { strict: true, parameters: { type: 'object', properties: {} } };

test.each<[string | null, string | null, object]>([
  ['unknown_parameter', 'seed', { seed: 1 }],
  ['unknown_parameter', 'stop', { stop: ['x'] }],
  ['missing_required_parameter', 'model', { model: undefined }],
  ['missing_required_parameter', 'input', { input: null }],
  ['invalid_type', 'input', { input: 7 }],
  ['invalid_value', 'input[0].type', { input: [{ type: 'dream' }] }],
  ['invalid_value', 'input[0].role', { input: [{ role: 'tool', content: 'x' }] }],
  ['missing_required_parameter', 'input[0].content', { input: [{ role: 'user' }] }],
  ['unknown_parameter', 'input[0].name', { input: [{ ...user, name: 'Ada' }] }],
  ['invalid_value', 'input[0].content[0].type', content('assistant', { type: 'input_text', text: 'x' })],
  ['invalid_value', 'input[0].content[0].type', content('user', { type: 'output_text', text: 'x' })],
  [
    'invalid_value',
    'input[0].content[0].image_url',
    content('user', { type: 'input_image', image_url: 'a' }),
  ],
  ['integer_below_min_value', 'max_output_tokens', { max_output_tokens: 15 }],
  ['decimal_above_max_value', 'temperature', { temperature: 2.5 }],
  ['invalid_value', 'include[0]', { include: ['everything'] }],
  ['invalid_value', 'reasoning.effort', { reasoning: { effort: 'extreme' } }],
  ['missing_required_parameter', 'text.format.schema', format({})],
  [null, 'input', { text: { format: { type: 'json_object' } } }],
  ['invalid_json_schema', 'text.format.schema', format({ strict: true, schema: strict.parameters })],
  ['invalid_function_parameters', 'tools[0].parameters', { tools: [{ ...f, ...strict }] }],
  ['missing_required_parameter', 'tools[0].name', { tools: [{ type: 'function', function: { name: 'f' } }] }],
  [null, 'tool_choice', { tool_choice: 'required' }],
  ['invalid_value', 'tool_choice', { tool_choice: 'maybe' }],
  [null, 'tool_choice', { tool_choice: f }],
  ['unsupported_parameter', 'background', { background: true }],
  ['previous_response_not_found', 'previous_response_id', { previous_response_id: 'resp_1' }],
])('%s of %s: %j is rejected', (code, param, body) => {
  expect(refusalOf(body)).toMatchObject({ status: 400, code, param });
});

test.each([
  [{ id: 'call_1' }, 'invalid_value', 'id'],
  [{ call_id: 'x'.repeat(65) }, 'string_above_max_length', 'call_id'],
  [{ name: 'the weather' }, 'invalid_value', 'name'],
])('a call with %j is rejected', (more, code, field) => {
  const input = [user, { ...call, ...more }, output];
  expect(refusalOf({ input })).toMatchObject({ status: 400, code, param: `input[1].${field}` });
});

const hello = { ...said, id: 'msg_1' };
test.each<[string, object[], RegExp]>([
  ['a call without output', [user, call], /No tool output found for function call c1/],
  ['an output without call', [user, output], /No tool call found for function call output with call_id c1/],
  ['an output before its call', [user, output, call], /No tool call found/],
  [
    'a custom output for a function',
    [user, call, { ...output, type: 'custom_tool_call_output' }],
    /No tool output found for function call c1/,
  ],
  ['an item twice', [user, hello, hello], /Duplicate item found with id msg_1/],
])('%s is rejected', (_what, input, message) => {
  expect(refusalOf({ input }).message).toMatch(message);
});

describe('reasoning', () => {
  const made = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: encrypted('rs_1', 'Hm.') };

  test.each([
    ['of another vendor', { encrypted_content: 'am:EqQB' }],
    ['that was changed', { encrypted_content: encrypted('rs_1', 'Hm!').slice(0, -4) }],
    ['of another item', { id: 'rs_2' }],
  ])('%s is rejected', (_what, more) => {
    const error = { status: 400, code: 'invalid_encrypted_content' };
    expect(refusalOf({ input: [user, { ...made, ...more }, said, user] })).toMatchObject(error);
  });

  test('without a following item is rejected', () => {
    expect(refusalOf({ input: [user, made, user] }).message).toMatch(/without its required following item/);
  });

  test('without encrypted content is accepted if it is stored', () => {
    const item = { type: 'reasoning' as const, id: 'rs_1', summary: [] };
    const input = [user, item, said, user];
    expect(refusalOf({ input })).toMatchObject({ status: 404, param: 'input' });
    const store = new Store();
    store.keep('resp_1', [], () => [item]);
    expect(ask({ input }, store)).toBeDefined();
  });
});

test('a null is treated as unset', () => {
  const nulls = 'tools tool_choice text reasoning store stream metadata include top_p'.split(' ');
  expect(ask(Object.fromEntries(nulls.map(name => [name, null])))).toMatchObject({ stream: false });
});
