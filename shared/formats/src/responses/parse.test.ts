import { refusal } from '@model-gateway/canonical/testing/events';
import { rows } from '@model-gateway/canonical/testing/rows';
import { describe, expect, test } from 'vitest';
import { testFixtures, unusual } from '../testing/fixtures.ts';
import { parse, parseCount } from './parse.ts';
import { countRenderer } from './render.ts';

const valid = { model: 'm', input: 'Hi' };
const many = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v']));

/** The canonical request, serialized as for the bus. */
function canonical(fields: Record<string, unknown>) {
  return JSON.parse(JSON.stringify(parse({ model: 'm', ...fields }).canonical()));
}
testFixtures(import.meta.dirname, 'parse', (fields: Record<string, unknown>) =>
  unusual(canonical({ ...valid, ...fields }), canonical(valid)),
);

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

describe('input items', () => {
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

describe('what a request asks for beside tokens', () => {
  const extrasOf = (fields: object) => parse({ ...valid, ...fields }).extras;
  const toolsOf = (...types: string[]) => ({ tools: types.map(type => ({ type })) });

  test.each([
    [{}],
    [
      {
        tools: [
          { type: 'function', name: 'f' },
          { type: 'custom', name: 'c' },
        ],
      },
    ],
    [toolsOf('local_shell', 'apply_patch', 'computer_use_preview')],
    [
      {
        tools: [
          { type: 'tool_search', execution: 'client' },
          { type: 'shell', environment: { type: 'local' } },
        ],
      },
    ],
    [{ ...toolsOf('web_search', 'mcp'), tool_choice: 'none' }],
    [{ service_tier: 'default' }],
  ])('%j asks for nothing beside tokens', fields => {
    expect(extrasOf(fields)).toBeUndefined();
  });

  test.each(['image_generation', 'code_interpreter', 'file_search', 'mcp', 'shell'])(
    '%s is a hosted tool of this format alone',
    name => {
      expect(extrasOf(toolsOf(name))).toEqual({
        format: 'responses',
        tools: [{ name, field: 'tools', own: true }],
      });
    },
  );

  test('a web search goes to targets of other formats, too, unless it is of the cache or of some domains', () => {
    const search = { name: 'web_search', field: 'tools' };
    for (const type of ['web_search', 'web_search_preview', 'web_search_2025_08_26'])
      expect(extrasOf(toolsOf(type))?.tools).toEqual([search]);
    for (const own of [{ external_web_access: false }, { filters: { allowed_domains: ['a.com'] } }])
      expect(extrasOf({ tools: [{ type: 'web_search', ...own }] })?.tools).toEqual([
        { ...search, own: true },
      ]);
  });

  test.each(['priority', 'flex'])('the service tier %s is not the usual one', tier => {
    expect(extrasOf({ service_tier: tier })).toEqual({ format: 'responses', tier });
  });
});

test('a token count covers the request that generate would send', () => {
  const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }];
  const { canonical } = parseCount({
    model: 'm',
    input: 'Hello',
    instructions: 'Be brief.',
    tools,
  });
  expect(canonical()).toMatchObject({
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    ],
    tools: [{ type: 'function', name: 'f' }],
  });
  expect(countRenderer.count(7)).toEqual({ object: 'response.input_tokens', input_tokens: 7 });
});

test.each([
  ['input', { model: 'm' }],
  ['model', { input: 'x' }],
  ['previous_response_id', { model: 'm', input: 'x', previous_response_id: 'resp_1' }],
])('a body with an invalid %s is rejected', (param, body) => {
  expect(() => parseCount(body)).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ param }) }),
  );
});
