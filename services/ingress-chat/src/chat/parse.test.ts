import { GatewayError } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { parse } from './parse.ts';

const messages = [{ role: 'user', content: 'Hi' }];
const valid = { model: 'm', messages };

function refusal(body: Record<string, unknown>): {
  kind: string;
  param?: string;
  code?: string;
  message: string;
} {
  try {
    parse(body);
  } catch (error) {
    if (error instanceof GatewayError) return { kind: error.kind, message: error.message, ...error.details };
    throw error;
  }
  throw new Error(`not refused: ${JSON.stringify(body)}`);
}

describe('an invalid request is rejected with the name of the field', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['model', { messages }, 'missing_required_parameter'],
    ['model', { messages, model: null }, 'invalid_type'],
    ['model', { messages, model: '' }, 'invalid_value'],
    ['messages', { model: 'm' }, 'missing_required_parameter'],
    ['messages', { model: 'm', messages: 'Hi' }, 'invalid_type'],
    ['messages', { model: 'm', messages: [] }, 'empty_array'],
    ['messages[0]', { model: 'm', messages: ['Hi'] }, 'invalid_type'],
    ['messages[0].role', { model: 'm', messages: [{ content: 'Hi' }] }, 'missing_required_parameter'],
    ['messages[0].role', { model: 'm', messages: [{ role: 'robot', content: 'Hi' }] }, 'invalid_value'],
    ['messages[0].role', { model: 'm', messages: [{ role: 1, content: 'Hi' }] }, 'invalid_type'],
    [
      'messages[1].content',
      { model: 'm', messages: [...messages, { role: 'user' }] },
      'missing_required_parameter',
    ],
    ['messages[0].content', { model: 'm', messages: [{ role: 'user', content: null }] }, 'invalid_type'],
    ['messages[0].content', { model: 'm', messages: [{ role: 'system', content: 5 }] }, 'invalid_type'],
    ['messages[0].content', { model: 'm', messages: [{ role: 'assistant' }] }, 'missing_required_parameter'],
    [
      'messages[0].content',
      { model: 'm', messages: [{ role: 'assistant', content: null }] },
      'missing_required_parameter',
    ],
    [
      'messages[0].tool_call_id',
      { model: 'm', messages: [{ role: 'tool', content: 'x' }] },
      'missing_required_parameter',
    ],
    ['temperature', { ...valid, temperature: -0.1 }, 'decimal_below_min_value'],
    ['temperature', { ...valid, temperature: -0.1 }, 'decimal_below_min_value'],
    ['temperature', { ...valid, temperature: '1' }, 'invalid_type'],
    ['temperature', { ...valid, temperature: Number.POSITIVE_INFINITY }, 'invalid_type'],
    ['top_p', { ...valid, top_p: 1.1 }, 'decimal_above_max_value'],
    ['n', { ...valid, n: 0 }, 'integer_below_min_value'],
    ['n', { ...valid, n: 1.5 }, 'invalid_type'],
    ['presence_penalty', { ...valid, presence_penalty: 2.5 }, 'decimal_above_max_value'],
    ['frequency_penalty', { ...valid, frequency_penalty: -2.5 }, 'decimal_below_min_value'],
    ['reasoning_effort', { ...valid, reasoning_effort: 'huge' }, 'invalid_value'],
    ['stream', { ...valid, stream: 'true' }, 'invalid_type'],
    ['max_tokens', { ...valid, max_tokens: 1.5 }, 'invalid_type'],
    ['max_completion_tokens', { ...valid, max_completion_tokens: '5' }, 'invalid_type'],
    ['seed', { ...valid, seed: 0.5 }, 'invalid_type'],
    ['user', { ...valid, user: 5 }, 'invalid_type'],
    ['stop', { ...valid, stop: 5 }, 'invalid_type'],
    ['stop[0]', { ...valid, stop: [5] }, 'invalid_type'],
    ['modalities', { ...valid, modalities: 'text' }, 'invalid_type'],
    ['modalities[0]', { ...valid, modalities: [1] }, 'invalid_type'],
    ['tools', { ...valid, tools: {} }, 'invalid_type'],
    ['tool_choice', { ...valid, tool_choice: 1 }, 'invalid_type'],
    ['stream_options', { ...valid, stream_options: true }, 'invalid_type'],
    ['stream_options.include_usage', { ...valid, stream_options: { include_usage: 1 } }, 'invalid_type'],
    ['logit_bias', { ...valid, logit_bias: [] }, 'invalid_type'],
    ['response_format', { ...valid, response_format: 'json' }, 'invalid_type'],
    ['audio', { ...valid, audio: 'wav' }, 'invalid_type'],
  ])('%s is invalid in %j: %s', (param, body, code) => {
    expect(refusal(body)).toMatchObject({ kind: 'invalid-request', param, code });
  });

  test('error messages state the expected type or range', () => {
    expect(refusal({ messages }).message).toBe("Missing required parameter: 'model'.");
    expect(refusal({ ...valid, stop: 5 }).message).toBe(
      "Invalid type for 'stop': expected a string or an array of strings, but got an integer instead.",
    );
    expect(refusal({ ...valid, top_p: 3 }).message).toBe(
      "Invalid 'top_p': expected a value of at most 1, but got 3.",
    );
    expect(refusal({ ...valid, seed: 0.5 }).message).toBe(
      "Invalid type for 'seed': expected an integer, but got a number instead.",
    );
  });
});

describe('a valid request', () => {
  test.each<[string, Record<string, unknown>]>([
    [
      'at every bound',
      { ...valid, temperature: 2, top_p: 0, n: 1, presence_penalty: -2, frequency_penalty: 2 },
    ],
    [
      'with null for what is not set',
      { ...valid, temperature: null, stream: null, tools: null, stop: null, n: null },
    ],
    ['with unknown fields', { ...valid, brand_new: { a: 1 }, messages: [{ ...messages[0], weight: 1 }] }],
    ['with a seed beyond the range of a double', { ...valid, seed: 2 ** 63 }],
    [
      'with every role',
      {
        model: 'm',
        messages: [
          { role: 'developer', content: 'x' },
          { role: 'system', content: [{ type: 'text', text: 'x' }] },
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '' } }],
          },
          { role: 'tool', tool_call_id: 'c', content: 'x' },
          { role: 'assistant', refusal: 'no' },
          { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
          { role: 'function', name: 'f', content: null },
          { role: 'assistant', audio: { id: 'a' } },
        ],
      },
    ],
    ...['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'].map(
      (effort): [string, Record<string, unknown>] => [
        `with effort ${effort}`,
        { ...valid, reasoning_effort: effort },
      ],
    ),
  ])('a request %s is accepted', (_what, body) => {
    expect(parse(body)).toMatchObject({ model: 'm', stream: false });
  });

  test('a request with stream: true is parsed as a stream', () => {
    expect(parse({ ...valid, stream: true })).toMatchObject({ model: 'm', stream: true });
  });
});

describe('a history is foreign to an upstream of the format', () => {
  const thought = (block: object) => ({
    role: 'assistant',
    content: 'x',
    thinking_blocks: [{ type: 'thinking', thinking: 'a', ...block }],
  });
  const called = (call: object) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' }, ...call }],
  });

  test.each<[string, object]>([
    ['of a tagged signature', thought({ signature: 'gg:s' })],
    ['of a tagged redacted block', thought({ type: 'redacted_thinking', data: 'or:s' })],
    ['of a signature in an id', called({ id: 'call_x__thought__s+/=' })],
  ])('a history is foreign because %s', (_what, turn) => {
    expect(parse({ ...valid, messages: [...messages, turn, ...messages] }).foreign).toBe(true);
  });

  test.each<[string, object]>([
    ['a signature without a tag', thought({ signature: 'EqQB' })],
    ['an unknown tag', thought({ signature: 'x:s' })],
    ['no signature', thought({})],
    ['a call', called({})],
    ['a signature in its own field', called({ extra_content: { google: { thought_signature: 's' } } })],
    [
      'malformed fields',
      { role: 'assistant', content: '', thinking_blocks: 5, tool_calls: [null, { id: 5 }] },
    ],
  ])('a history is not foreign because of %s', (_what, turn) => {
    expect(parse({ ...valid, messages: [...messages, turn, ...messages] }).foreign).toBe(false);
  });
});
