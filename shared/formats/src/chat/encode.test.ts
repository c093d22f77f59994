import type { GenerateFormat, GenerateRequest, Reasoning } from '@model-gateway/canonical';
import { refusal } from '@model-gateway/canonical/testing/events';
import { call, result, says, tells, thought, user } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { providerProfiles } from '@model-gateway/providers';
import { describe, expect, test } from 'vitest';
import { type AskedFields, encodeInput, type InputFields } from '../testing/encode-input.ts';
import { testFixtures, unusual } from '../testing/fixtures.ts';
import { chatDialect } from './dialect.ts';

type Fields = Partial<GenerateRequest>;
const hi = user('Hi');

function encode(fields: Fields = {}, more: InputFields = {}, format: GenerateFormat = 'messages') {
  const request = { messages: [hi], ...fields };
  return JSON.parse(
    chatDialect.encode(encodeInput({ model: 'up-1', request, ...more }, { format })).body.toString(),
  );
}
testFixtures(import.meta.dirname, 'encode', ({ facts: { format, ...more } = {}, ...request }: AskedFields) =>
  unusual(encode(request, more, format), encode()),
);

test.each(
  rows<[Fields, object]>`
  - [{maxTokens: 9}, {max_tokens: 9}]
  - [{temperature: 0.5, topP: 0.9, stop: [a], n: 3}, {temperature: 0.5, top_p: 0.9, stop: [a], n: 3}]
  - - {seed: 1, presencePenalty: 1, frequencyPenalty: 2, logitBias: {5: 1}, output: {type: json}}
    - {seed: 1, presence_penalty: 1, frequency_penalty: 2, logit_bias: {5: 1}, response_format: {type: json_object}}
  - - {tools: [{type: function, name: a}, {type: function, name: b}], toolChoice: {type: required, names: [b]}, parallelToolCalls: false}
    - {tools: [{type: function, function: {name: b}}], tool_choice: required, parallel_tool_calls: false}
  - [{reasoning: {effort: high, budget: 1}}, {reasoning_effort: high}]
  - [{reasoning: {budget: 0}}, {reasoning_effort: none}]
  - [{reasoning: {budget: 1024}}, {reasoning_effort: low}]
  - [{reasoning: {budget: 8192}}, {reasoning_effort: medium}]
  - [{reasoning: {budget: 24576}}, {reasoning_effort: high}]
  - [{reasoning: {budget: 30000}}, {reasoning_effort: xhigh}]
  - [{output: {type: schema, schema: {a: 1}}}, {response_format: {type: json_schema, json_schema: {name: response, schema: {a: 1}}}}]
  - [{tools: [{type: function, name: clock}]}, {tools: [{type: function, function: {name: clock}}]}]
  - - {tools: [{type: custom, name: sql, format: {type: text}}], toolChoice: {type: tool, name: sql}}
    - {tools: [{type: custom, custom: {name: sql, format: {type: text}}}], tool_choice: {type: custom, custom: {name: sql}}}
  - [{extensions: {chat: {store: true}, messages: {context_management: {}, mcp_servers: []}}}, {store: true}]
  - [{toolChoice: {type: auto}, parallelToolCalls: true}, {}]
  - [{stop: ['']}, {}]
  - [{stop: []}, {}]
  - [{reasoning: {budget: -1}}, {}]
  - [{reasoning: {adaptive: true}}, {}]
  - [{output: {type: text}}, {}]
  - [{topK: 5, metadata: {a: b}, verbosity: low, serviceTier: standard_only}, {}]
`,
)('the fields %j become %j', (fields, expected) => {
  expect(encode(fields)).toEqual({ ...encode(), ...expected });
});

test.each(['jane@example.com', 'x'.repeat(65)])('the end user %s is sent as a hash', id => {
  expect(encode({ user: id }).user).toMatch(/^[0-9a-f]{64}$/);
});

const tools: Fields['tools'] = [{ type: 'function', name: 'f' }];

const search = {
  type: 'web-search' as const,
  own: { format: 'messages' as const, value: { type: 'web_search_20250305', name: 'web_search' } },
};

test.each<[Fields['toolChoice'], boolean]>([
  [{ type: 'tool', name: 'web_search' }, false],
  [{ type: 'required' }, false],
  [{ type: 'tool', name: 'f' }, true],
  [{ type: 'required' }, true],
  [{ type: 'none' }, true],
])('a web search is no choice, but the choice %j among other tools stays: %s', (toolChoice, others) => {
  const write = () => encode({ tools: [search, ...(others ? (tools ?? []) : [])], toolChoice } as Fields);
  if (!others) return expect(refusal(write)).toMatchObject({ kind: 'invalid-request', path: 'toolChoice' });
  expect(write()).toMatchObject({ web_search_options: {}, tools: [{ type: 'function' }], tool_choice: {} });
});

test.each([
  ['allowedDomains', 'allowed_domains'],
  ['blockedDomains', 'blocked_domains'],
])('a web search with %s is refused', (field, name) => {
  const refused = refusal(() => encode({ tools: [{ ...search, [field]: ['a.example'] }] }));
  expect(refused).toMatchObject({ path: 'tools', message: expect.stringContaining(name) });
});

describe('thinking', () => {
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
        chatDialect
          .encode(
            encodeInput(
              { model, request: { messages: [hi], ...more, ...wish }, ...factsOf(kind) },
              { format: 'messages' },
            ),
          )
          .body.toString(),
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
    const sent = chatDialect.encode(encodeInput({ model, text, drop, ...factsOf(kind) })).body.toString();
    const { model: _, messages: __, ...rest } = JSON.parse(sent);
    return rest;
  }

  const kwargs = (thinks: boolean) => ({
    chat_template_kwargs: { enable_thinking: thinks, thinking: thinks },
  });

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
      const sent = chatDialect.encode(
        encodeInput({ model, request, ...factsOf(kind) }, { format: 'messages' }),
      );
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
      return chatDialect.encode(encodeInput({ model, text, ...factsOf(kind) })).body.toString();
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
});
