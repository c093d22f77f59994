import type { Reasoning } from '@model-gateway/canonical';
import { call, result, says, tells, thought, user } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { providerProfiles } from '@model-gateway/providers';
import { describe, expect, test } from 'vitest';
import { encodeInput, type InputFields } from '../testing/encode-input.ts';
import { encode } from './encode.ts';

const hi = user('Hi');
const factsOf = (kind: string) => {
  const { differences, original } = providerProfiles[kind] ?? {};
  return { differences: differences?.chat, ...(original && { original }) };
};

/** Returns the fields that a wish adds to a translated request. */
function asked(
  kind: string,
  model: string,
  reasoning: Reasoning,
  more: InputFields['request'] | object = {},
) {
  const body = (wish: object) =>
    JSON.parse(
      encode(
        encodeInput(
          { model, request: { messages: [hi], ...more, ...wish }, ...factsOf(kind) },
          { format: 'messages' },
        ),
      ).body.toString(),
    );
  const without = Object.keys(body({}));
  return Object.fromEntries(
    Object.entries(body({ reasoning })).filter(([field]) => !without.includes(field)),
  );
}

/** Returns a client's own JSON as it is sent. */
function passedOn(kind: string, model: string, fields: object, drop: string[] = []) {
  const text = Buffer.from(
    JSON.stringify({ model: 'x', messages: [{ role: 'user', content: 'Hi' }], ...fields }),
  );
  const sent = encode(encodeInput({ model, text, drop, ...factsOf(kind) })).body.toString();
  const { model: _, messages: __, ...rest } = JSON.parse(sent);
  return rest;
}

const kwargs = (thinks: boolean) => ({ chat_template_kwargs: { enable_thinking: thinks, thinking: thinks } });

describe('thinking turned off is off in the words of the provider', () => {
  test.each(
    rows<[string, string, object]>`
    - [deepseek, any, {thinking: {type: disabled}}]
    - [zhipu, any, {thinking: {type: disabled}}]
    - [zhipu, glm-4.7, {thinking: {type: disabled}}]
    - [zhipu, glm-5.2, {thinking: {type: disabled}}]
    - [zhipu, glm-5.3-flash, {reasoning_effort: low}]
    - [moonshot, any, {thinking: {type: disabled}}]
    - [moonshot, kimi-k2.6, {thinking: {type: disabled}}]
    - [moonshot, kimi-k2.7-code, {}]
    - [moonshot, kimi-k3.1-pro, {reasoning_effort: low}]
    - [moonshot, moonshot-v1-8k, {}]
    - [dashscope, any, {enable_thinking: false}]
    - [dashscope, qwen-plus, {enable_thinking: false}]
    - [dashscope, deepseek-v4-pro, {enable_thinking: false}]
    - [dashscope, qwen3-235b-a22b-thinking-2507, {}]
    - [volcengine, any, {thinking: {type: disabled}}]
    - [volcengine, doubao-seed-character-260628, {thinking: {type: disabled}}]
    - [siliconflow, any, {enable_thinking: false}]
    - [siliconflow, deepseek-ai/DeepSeek-R1, {thinking_budget: 128}]
    - [siliconflow, Qwen/Qwen3-VL-32B-Instruct, {}]
    - [openrouter, any/model, {reasoning_effort: none}]
    - [together, moonshotai/Kimi-K2.6, {reasoning: {enabled: false}}]
    - [together, openai/gpt-oss-20b, {reasoning_effort: low}]
    - [together, MiniMaxAI/MiniMax-M2.7, {}]
    - [fireworks, accounts/fireworks/models/glm-5p2, {reasoning_effort: none}]
    - [groq, qwen/qwen3-32b, {reasoning_effort: none}]
    - [groq, openai/gpt-oss-120b, {reasoning_effort: low}]
    - [groq, llama-3.3-70b-versatile, {}]
    - [mistral, mistral-medium-3-5, {reasoning_effort: none}]
    - [mistral, magistral-medium-latest, {}]
    - [mistral, codestral-latest, {}]
    - [xai, grok-4.3, {reasoning_effort: none}]
    - [xai, grok-3-mini, {reasoning_effort: low}]
    - [xai, grok-4-0709, {}]
    - [cerebras, zai-glm-4.7, {reasoning_effort: none}]
    - [cerebras, gpt-oss-120b, {reasoning_effort: low}]
    - [minimax, MiniMax-M3, {thinking: {type: disabled}}]
    - [minimax, MiniMax-M2.5, {}]
    - [deepinfra, zai-org/GLM-5, {reasoning_effort: none}]
    - [ollama, 'qwen3:8b', {reasoning_effort: none}]
    - [ollama, 'gpt-oss:20b', {reasoning_effort: low}]
    - [lm-studio, any, {reasoning_effort: none}]
    - [openai, gpt-5.4-mini, {reasoning_effort: none}]
    - [openai, gpt-5-mini, {reasoning_effort: minimal}]
    - [openai, o4-mini, {reasoning_effort: low}]
    - [openai, gpt-4o, {}]
    - [openai, gpt-6.1-sol, {reasoning_effort: low}]
    - [github-models, openai/gpt-4.1, {}]
    - [openai-compatible, any, {reasoning_effort: none}]
  `,
  )('%s: %s gets %j', (kind, model, expected) => {
    expect(asked(kind, model, { effort: 'none' })).toEqual(expected);
    expect(asked(kind, model, { budget: 0 })).toEqual(expected);
    if (!factsOf(kind).original)
      expect(passedOn(kind, model, { reasoning_effort: 'none' })).toEqual(expected);
  });

  test.each(['vllm', 'sglang', 'llama-cpp'])('%s tells the chat template', kind => {
    expect(asked(kind, 'qwen3', { effort: 'none' })).toEqual(kwargs(false));
    expect(passedOn(kind, 'qwen3', { reasoning_effort: 'none' })).toEqual(kwargs(false));
    expect(asked(kind, 'gpt-oss-20b', { effort: 'none' })).toEqual({ reasoning_effort: 'low' });
  });

  test.each(
    rows<[string, object, object]>`
    - [deepseek, {enable_thinking: false}, {enable_thinking: false, thinking: {type: disabled}}]
    - [zhipu, {reasoning: {enabled: false}}, {reasoning: {enabled: false}, thinking: {type: disabled}}]
    - [moonshot, {reasoning_effort: disable}, {thinking: {type: disabled}}]
    - [dashscope, {thinking: {type: disabled}}, {thinking: {type: disabled}, enable_thinking: false}]
    - [ollama, {enable_thinking: false}, {enable_thinking: false, reasoning_effort: none}]
    - [volcengine, {reasoning_effort: high, thinking: {type: disabled}}, {thinking: {type: disabled}}]
    - [deepseek, {thinking: {type: disabled}}, {thinking: {type: disabled}}]
    - - vllm
      - {reasoning_effort: none, chat_template_kwargs: {custom: 1, thinking: true}}
      - {chat_template_kwargs: {custom: 1, thinking: false, enable_thinking: false}}
  `,
  )("%s understands a client's %j as %j", (kind, fields, expected) => {
    expect(passedOn(kind, 'any', fields)).toEqual(expected);
  });
});

describe('levels and budgets', () => {
  test.each(
    rows<[string, string, Reasoning, object]>`
    - [deepseek, any, {effort: minimal}, {reasoning_effort: minimal}]
    - [deepseek, any, {budget: 4000}, {reasoning_effort: medium}]
    - [zhipu, glm-4.7, {effort: high}, {thinking: {type: enabled}}]
    - [zhipu, glm-4.7, {effort: minimal}, {thinking: {type: disabled}}]
    - [zhipu, any, {effort: medium}, {reasoning_effort: high}]
    - [zhipu, glm-5, {effort: medium}, {thinking: {type: enabled}}]
    - [zhipu, glm-5.2, {effort: xhigh}, {reasoning_effort: max}]
    - [zhipu, glm-5.2, {effort: minimal}, {thinking: {type: disabled}}]
    - [zhipu, glm-5.3, {effort: minimal}, {reasoning_effort: low}]
    - [zhipu, glm-5.3, {effort: medium}, {reasoning_effort: high}]
    - [zhipu, glm-5.3, {effort: xhigh}, {reasoning_effort: max}]
    - [moonshot, kimi-k2.5, {effort: low}, {thinking: {type: enabled}}]
    - [moonshot, kimi-k2.5, {adaptive: true}, {thinking: {type: enabled}}]
    - [moonshot, kimi-k2.7-code, {effort: low}, {}]
    - [moonshot, kimi-k3, {effort: medium}, {reasoning_effort: high}]
    - [dashscope, qwen-plus, {effort: low}, {enable_thinking: true, thinking_budget: 1024}]
    - [dashscope, qwen-plus, {budget: 5000}, {enable_thinking: true, thinking_budget: 5000}]
    - [dashscope, qwen-plus, {budget: 100000, effort: max}, {enable_thinking: true, thinking_budget: 38912}]
    - [dashscope, qwen-plus, {effort: minimal}, {enable_thinking: false}]
    - [dashscope, glm-4.7, {effort: low}, {enable_thinking: true}]
    - [dashscope, deepseek-v4-pro, {effort: low}, {enable_thinking: true, reasoning_effort: high}]
    - [volcengine, any, {effort: low}, {reasoning_effort: low}]
    - [volcengine, doubao-seed-character, {effort: low}, {thinking: {type: enabled}, reasoning_effort: low}]
    - [siliconflow, Qwen/Qwen3-8B, {budget: 50}, {enable_thinking: true, thinking_budget: 128}]
    - [groq, qwen/qwen3-32b, {effort: high}, {reasoning_effort: default}]
    - [groq, openai/gpt-oss-20b, {effort: max}, {reasoning_effort: high}]
    - [groq, llama-3.3-70b-versatile, {effort: high}, {}]
    - [mistral, mistral-small-latest, {effort: low}, {reasoning_effort: high}]
    - [mistral, mistral-small-latest, {effort: minimal}, {reasoning_effort: none}]
    - [xai, grok-4-0709, {effort: high}, {}]
    - [ollama, 'qwen3:8b', {effort: max}, {reasoning_effort: high}]
    - [openai, gpt-5.1, {effort: minimal}, {reasoning_effort: low}]
    - [openai, gpt-5-pro, {effort: low}, {reasoning_effort: high}]
    - [openai, gpt-4o, {effort: high}, {}]
    - [openai, gpt-5.1-codex, {effort: none}, {reasoning_effort: low}]
    - [openai, gpt-5.1-codex-max, {effort: max}, {reasoning_effort: xhigh}]
    - [deepseek, any, {adaptive: true}, {}]
    - [deepseek, any, {show: true}, {}]
  `,
  )('%s: %s takes %j as %j', (kind, model, wish, expected) => {
    expect(asked(kind, model, wish)).toEqual(expected);
  });

  test.each(
    rows<[string, string, object, object?]>`
    - [groq, qwen/qwen3-32b, {reasoning_effort: default}]
    - [groq, openai/gpt-oss-20b, {reasoning_effort: xhigh}]
    - [deepseek, any, {reasoning_effort: ultra}]
    - [deepseek, any, {reasoning_effort: high, thinking: {type: enabled}}]
    - [openai-compatible, any, {reasoning_effort: default, enable_thinking: false}]
    - [openai, gpt-5-mini, {reasoning_effort: none}]
    - [moonshot, kimi-k2.7-code, {reasoning_effort: high}]
    - [groq, llama-3.3-70b-versatile, {reasoning_effort: high}]
    - [moonshot, kimi-k2.6, {reasoning_effort: high}, {thinking: {type: enabled}}]
    - [zhipu, glm-4.7, {reasoning_effort: minimal}, {thinking: {type: disabled}}]
    - [dashscope, qwen-plus, {reasoning_effort: low}, {enable_thinking: true, thinking_budget: 1024}]
    - [zhipu, glm-5.3, {reasoning_effort: medium}]
  `,
  )(
    "%s: %s gets a client's own %j, in other words only where it has no levels",
    (kind, model, fields, sent) => {
      expect(passedOn(kind, model, fields)).toEqual(sent ?? fields);
    },
  );

  test('a field that the model does not accept is not added', () => {
    expect(passedOn('deepseek', 'm', { reasoning_effort: 'none' }, ['thinking'])).toEqual({});
    expect(passedOn('groq', 'gpt-oss', { reasoning_effort: 'none' }, ['reasoning_effort'])).toEqual({});
  });

  test("fields of the client's own chat server are kept in a translation, and told once", () => {
    const extensions = { chat: { enable_thinking: false } };
    expect(asked('openai-compatible', 'm', { effort: 'none' }, { extensions })).toEqual({});
    expect(asked('openai-compatible', 'm', { effort: 'high', show: true }, { extensions })).toEqual({
      reasoning_effort: 'high',
    });
    expect(asked('deepseek', 'm', { effort: 'none' }, { extensions })).toEqual({
      thinking: { type: 'disabled' },
    });
  });
});

describe('a history', () => {
  const called = says('So', call('c1'));
  const turns = [
    hi,
    called,
    tells(result('c1')),
    says('Well'),
    hi,
    says(thought('Hm'), call('c2')),
    tells(result('c2')),
  ];
  const reasonings = (messages: Record<string, unknown>[]) =>
    messages.filter(({ role }) => role === 'assistant').map(({ reasoning_content }) => reasoning_content);
  const translated = (kind: string, model: string, reasoning?: Reasoning) => {
    const request = { messages: turns, ...(reasoning && { reasoning }) };
    const sent = encode(encodeInput({ model, request, ...factsOf(kind) }, { format: 'messages' }));
    return reasonings(JSON.parse(sent.body.toString()).messages);
  };
  const fn = { type: 'function', function: { name: 'f', arguments: '{"n":12345678901234567890}' } };
  const own = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'c1', ...fn }] },
    { role: 'tool', tool_call_id: 'c1', content: 'x' },
    { role: 'assistant', content: 'Well' },
    { role: 'assistant', content: null, reasoning_content: 'Hm', tool_calls: [{ id: 'c2', ...fn }] },
    { role: 'tool', tool_call_id: 'c2', content: 'x' },
  ];
  const spliced = (kind: string, model: string, messages: object[], fields: object = {}) => {
    const text = Buffer.from(JSON.stringify({ model: 'x', messages, ...fields }));
    return encode(encodeInput({ model, text, ...factsOf(kind) })).body.toString();
  };

  test.each(
    rows<[string, string, (string | null)[]]>`
    - [deepseek, any, ['', null, Hm]]
    - [moonshot, any, ['', null, Hm]]
    - [moonshot, kimi-k2-thinking, ['', null, Hm]]
    - [moonshot, kimi-k3, ['', '', Hm]]
    - [moonshot, moonshot-v1-8k, [null, null, Hm]]
    - [zhipu, glm-4.7, [null, null, Hm]]
    - [openai-compatible, any, [null, null, Hm]]
  `,
  )('of other models has at %s (%s) the reasoning %j', (kind, model, expected) => {
    const wanted = expected.map(each => each ?? undefined);
    expect(translated(kind, model)).toEqual(wanted);
    expect(reasonings(JSON.parse(spliced(kind, model, own)).messages)).toEqual(wanted);
  });

  test('needs no reasoning if thinking is off', () => {
    expect(translated('deepseek', 'm', { effort: 'none' })).toEqual([undefined, undefined, 'Hm']);
    const sent = JSON.parse(spliced('deepseek', 'm', own, { thinking: { type: 'disabled' } }));
    expect(reasonings(sent.messages)).toEqual([undefined, undefined, 'Hm']);
    expect(translated('moonshot', 'kimi-k3', { effort: 'none' })).toEqual(['', '', 'Hm']);
  });

  test('keeps every byte if its turns have reasoning, and exact numbers if they do not', () => {
    const whole = own.slice(3);
    expect(spliced('deepseek', 'x', whole)).toBe(JSON.stringify({ model: 'x', messages: whole }));
    expect(spliced('deepseek', 'x', own)).toContain('12345678901234567890');
  });

  test('has the reasoning that its turns have under another name', () => {
    const named = [own[0], { ...own[1], reasoning: 'Hm' }, own[2]] as object[];
    expect(reasonings(JSON.parse(spliced('deepseek', 'x', named)).messages)).toEqual(['Hm']);
  });
});
