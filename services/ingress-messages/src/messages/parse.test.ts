import { GatewayError } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { parse } from './parse.ts';

const messages = [{ role: 'user', content: 'Hi' }];
const valid = { model: 'm', max_tokens: 5, messages };

function refusal(body: Record<string, unknown>): GatewayError {
  try {
    parse(body, {});
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(GatewayError);
    return thrown as GatewayError;
  }
  throw new Error('was accepted');
}

describe('an invalid request is rejected with field and reason', () => {
  test.each<[string, Record<string, unknown>]>([
    ['model: Field required', { max_tokens: 5, messages }],
    ['model: Input should be a valid string', { ...valid, model: null }],
    ['model: String should have at least 1 character', { ...valid, model: '' }],
    ['max_tokens: Field required', { model: 'm', messages }],
    ['max_tokens: Input should be a valid number', { ...valid, max_tokens: null }],
    ['max_tokens: Input should be a valid number', { ...valid, max_tokens: '5' }],
    ['max_tokens: Input should be a valid integer', { ...valid, max_tokens: 1.5 }],
    ['max_tokens: Input should be greater than or equal to 1', { ...valid, max_tokens: 0 }],
    ['max_tokens: Input should be greater than or equal to 1', { ...valid, max_tokens: -1 }],
    ['messages: Field required', { model: 'm', max_tokens: 5 }],
    ['messages: List should have at least 1 item', { ...valid, messages: [] }],
    ['messages: Input should be a valid list', { ...valid, messages: 'Hi' }],
    ['messages.0: Input should be a valid object', { ...valid, messages: ['Hi'] }],
    ['messages.0.role: Field required', { ...valid, messages: [{ content: 'Hi' }] }],
    [
      "messages.0.role: Input should be 'user', 'assistant' or 'system'",
      { ...valid, messages: [{ role: 'tool', content: 'Hi' }] },
    ],
    ['messages.1.content: Field required', { ...valid, messages: [...messages, { role: 'user' }] }],
    [
      'messages.0.content: Input should be a valid string or list',
      { ...valid, messages: [{ role: 'user', content: 5 }] },
    ],
    [
      'messages.0.content: Input should be a valid string or list',
      { ...valid, messages: [{ role: 'user', content: null }] },
    ],
    [
      'messages.0.content.1.type: Field required',
      { ...valid, messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }, { text: 'b' }] }] },
    ],
    ['system: Input should be a valid string or list', { ...valid, system: 5 }],
    ['system.0.type: Field required', { ...valid, system: [{ text: 'x' }] }],
    ['temperature: Input should be less than or equal to 1', { ...valid, temperature: 1.1 }],
    ['temperature: Input should be greater than or equal to 0', { ...valid, temperature: -0.1 }],
    ['temperature: Input should be a valid number', { ...valid, temperature: '1' }],
    ['temperature: Input should be a valid number', { ...valid, temperature: Number.POSITIVE_INFINITY }],
    ['top_p: Input should be a valid number', { ...valid, top_p: '1' }],
    ['top_k: Input should be a valid integer', { ...valid, top_k: 1.5 }],
    ['top_k: Input should be a valid number', { ...valid, top_k: true }],
    ['stream: Input should be a valid boolean', { ...valid, stream: 'true' }],
    ['stop_sequences: Input should be a valid list', { ...valid, stop_sequences: 'END' }],
    ['stop_sequences.0: Input should be a valid string', { ...valid, stop_sequences: [1] }],
    ['tools: Input should be a valid list', { ...valid, tools: {} }],
    ['tools.0: Input should be a valid object', { ...valid, tools: ['f'] }],
    ['tool_choice: Input should be a valid object', { ...valid, tool_choice: 'auto' }],
    ['tool_choice.type: Field required', { ...valid, tool_choice: {} }],
    ['thinking: Input should be a valid object', { ...valid, thinking: true }],
    ['thinking.type: Field required', { ...valid, thinking: {} }],
    ['metadata: Input should be a valid object', { ...valid, metadata: [] }],
    ['metadata.user_id: Input should be a valid string', { ...valid, metadata: { user_id: 5 } }],
    ['output_config: Input should be a valid object', { ...valid, output_config: 'high' }],
    ['cache_control: Input should be a valid object', { ...valid, cache_control: true }],
    ['service_tier: Input should be a valid string', { ...valid, service_tier: 1 }],
  ])('%s', (message, body) => {
    expect(refusal(body)).toMatchObject({
      kind: 'invalid-request',
      message,
      details: { param: message.split(':')[0] },
    });
  });

  test('a thread is rejected with a code that SDKs recognize', () => {
    expect(refusal({ ...valid, thread: { type: 'continue', previous_message_id: 'msg_1' } })).toMatchObject({
      kind: 'invalid-request',
      details: { param: 'thread', code: 'thread_unsupported_request' },
    });
  });
});

describe('a valid request', () => {
  test.each<[string, Record<string, unknown>]>([
    ['at every bound', { ...valid, max_tokens: 1, temperature: 1, top_p: 0, top_k: 0 }],
    ['at the lower bound of temperature', { ...valid, temperature: 0 }],
    [
      'with null for what is not set',
      { ...valid, temperature: null, system: null, tools: null, thinking: null, thread: null },
    ],
    ['with unknown fields', { ...valid, brand_new: { a: 1 }, messages: [{ ...messages[0], weight: 1 }] }],
    [
      'with unknown blocks',
      { ...valid, messages: [{ role: 'user', content: [{ type: 'hologram', x: 1 }] }] },
    ],
    [
      'with an instruction among the messages',
      { ...valid, messages: [...messages, { role: 'system', content: 'x' }] },
    ],
    [
      'as a coding agent sends it',
      {
        ...valid,
        system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }],
        thinking: { type: 'adaptive', display: 'omitted' },
        context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
        output_config: { effort: 'medium' },
      },
    ],
  ])('a request %s is accepted', (_what, body) => {
    expect(parse(body, {})).toMatchObject({ model: 'm', stream: false });
  });

  test('a request with stream: true is parsed as a stream', () => {
    expect(parse({ ...valid, stream: true }, {})).toMatchObject({ model: 'm', stream: true });
  });

  test.each([
    [
      { 'vendor-version': '2024-01-01', 'anthropic-version': '2023-06-01' },
      { 'anthropic-version': '2024-01-01' },
    ],
    [{ 'anthropic-version': '2023-06-01' }, { 'anthropic-version': '2023-06-01' }],
    [
      { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b', cookie: 'x', 'x-api-key': 'sk' },
      { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'a,b' },
    ],
  ])('of the headers %j only version and betas are forwarded', (headers, sent) => {
    expect(parse(valid, headers).headers).toEqual(sent);
  });

  test.each([
    [{ type: 'thinking', thinking: '', signature: 'gg:Q2lR' }, true],
    [{ type: 'redacted_thinking', data: 'or:Q2lR' }, true],
    [{ type: 'thinking', thinking: 'hm', signature: '' }, true],
    [{ type: 'thinking', thinking: 'hm' }, true],
    [{ type: 'thinking', thinking: 'gg:', signature: 'EqQB' }, false],
    [{ type: 'text', text: 'gg:x' }, false],
  ])('a history with unsigned or differently signed thinking is foreign: %j', (block, foreign) => {
    const history = [...messages, { role: 'assistant', content: [block] }];
    expect(parse({ ...valid, messages: history }, {}).foreign).toBe(foreign);
  });

  test.each([
    ['functions.weather:0', true],
    ['call+a/b=', true],
    [`toolu_${'x'.repeat(80)}-`, false],
  ])('a history with an id that this format does not allow is foreign: %s', (id, foreign) => {
    const use = { role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] };
    const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] };
    for (const history of [
      [...messages, use],
      [...messages, result],
    ])
      expect(parse({ ...valid, messages: history }, {}).foreign).toBe(foreign);
  });
});
