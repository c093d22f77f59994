import type { Reasoning } from '@model-gateway/canonical';
import { rows } from '@model-gateway/canonical/testing/rows';
import { expect, test } from 'vitest';
import { type ThinkingContext, thinking } from './encode-thinking.ts';
import { modelTraits } from './models.ts';

function ask(model: string, reasoning?: Reasoning, context: Partial<ThinkingContext> = {}) {
  const capabilities = modelTraits(model);
  return thinking(reasoning, { capabilities, maxTokens: 64_000, forced: false, turns: [], ...context });
}

test.each(
  rows<[string, object]>`
  - [claude-2.1, {thinking: none, sampling: true, schema: false}]
  - [claude-3-5-haiku-20241022, {thinking: none}]
  - [claude-3-opus-20240229, {thinking: none}]
  - [claude-3-7-sonnet-latest, {thinking: budget, schema: false}]
  - [claude-sonnet-4-20250514, {thinking: budget, schema: false}]
  - [claude-opus-4-1-20250805, {thinking: budget, schema: false}]
  - ['anthropic.claude-haiku-4-5-20251001-v1:0', {thinking: budget, sampling: true, schema: true}]
  - [anthropic/claude-sonnet-4.5, {thinking: budget, schema: true}]
  - [claude-opus-4-6, {thinking: adaptive, sampling: true, schema: true}]
  - [claude-opus-4-8, {thinking: adaptive, sampling: false, supportsThinkingOff: true}]
  - [claude-sonnet-5, {thinking: adaptive, sampling: false, supportsThinkingOff: true}]
  - [claude-opus-5-1, {thinking: adaptive, sampling: false}]
  - [claude-fable-5, {thinking: adaptive, sampling: false, supportsThinkingOff: false}]
  - [another-model, {thinking: budget, sampling: true, schema: false}]
`,
)('the model %s has the traits %j', (model, expected) => {
  expect(modelTraits(model)).toMatchObject(expected);
});

const budgeted = 'claude-sonnet-4-5';
const budget = (tokens: number) => ({ thinking: { type: 'enabled', budget_tokens: tokens } });

test.each<[Reasoning, number | undefined]>([
  ...[{}, { show: true }, { effort: 'none' }, { budget: 0 }, { budget: -1 }].map(
    (reasoning): [Reasoning, undefined] => [reasoning as Reasoning, undefined],
  ),
  [{ effort: 'minimal' }, 1_024],
  [{ effort: 'low' }, 1_024],
  [{ effort: 'medium', show: true }, 4_096],
  [{ effort: 'high' }, 16_384],
  [{ effort: 'xhigh' }, 32_768],
  [{ effort: 'max' }, 32_768],
  [{ adaptive: true }, 4_096],
  [{ adaptive: true, effort: 'high' }, 16_384],
  [{ budget: 10 }, 1_024],
  [{ budget: 5_000 }, 5_000],
])('reasoning %j becomes a budget of %s (pitfall 24)', (reasoning, tokens) => {
  expect(ask(budgeted, reasoning)).toEqual(tokens ? budget(tokens) : {});
});

test('a budget shows no thinking if it is to be omitted, and none is asked for without a wish', () => {
  const omitted = { thinking: { ...budget(5_000).thinking, display: 'omitted' } };
  expect(ask(budgeted, { budget: 5_000, show: false })).toEqual(omitted);
  expect(ask(budgeted)).toEqual({});
});

test.each([
  [1_024, undefined],
  [1_025, 1_024],
  [2_000, 1_500],
  [4_096, 3_072],
])('the budget stays below %i output tokens and leaves room for text', (maxTokens, tokens) => {
  expect(ask(budgeted, { effort: 'max' }, { maxTokens })).toEqual(tokens ? budget(tokens) : {});
});

test.each<[string, string[], boolean]>([
  ['no thinking', ['tool_use'], false],
  ['text before its call, without thinking', ['text', 'tool_use'], false],
  ['thinking', ['thinking', 'text', 'tool_use'], true],
  ['redacted thinking', ['redacted_thinking', 'tool_use'], true],
  ['no calls', ['text'], true],
])('thinking depends on the last assistant turn: %s (pitfall 17)', (_what, types, thinks) => {
  const said = { role: 'assistant', content: types.map(type => ({ type })) };
  const turns = [said, { role: 'user', content: [{ type: 'tool_result' }] }];
  expect('thinking' in ask(budgeted, { effort: 'low' }, { turns })).toBe(thinks);
  expect('thinking' in ask('claude-opus-4-6', { effort: 'low' }, { turns })).toBe(true);
});

test.each(
  rows<[Reasoning, object]>`
  - [{}, {}]
  - [{effort: none}, {thinking: {type: disabled}}]
  - [{budget: 0}, {thinking: {type: disabled}}]
  - [{effort: minimal}, {thinking: {type: adaptive}, effort: low}]
  - [{effort: low, show: true}, {thinking: {type: adaptive, display: summarized}, effort: low}]
  - [{effort: medium}, {thinking: {type: adaptive}, effort: medium}]
  - [{effort: high}, {thinking: {type: adaptive}, effort: high}]
  - [{effort: xhigh}, {thinking: {type: adaptive}, effort: xhigh}]
  - [{effort: max}, {thinking: {type: adaptive}, effort: max}]
  - [{budget: 1024}, {thinking: {type: adaptive}, effort: low}]
  - [{budget: 8192}, {thinking: {type: adaptive}, effort: medium}]
  - [{budget: 24576}, {thinking: {type: adaptive}, effort: high}]
  - [{budget: 24577}, {thinking: {type: adaptive}, effort: xhigh}]
  - [{adaptive: true, show: false}, {thinking: {type: adaptive, display: omitted}}]
  - [{show: false}, {}]
  - [{show: true}, {thinking: {type: adaptive, display: summarized}}]
`,
)('reasoning %j becomes %j for an adaptive model', (reasoning, expected) => {
  expect(ask('claude-opus-4-8', reasoning)).toEqual(expected);
});

// The last cannot disable its thinking, and the first has none.
test.each([
  ['claude-3-5-sonnet-20241022', 'high', false, {}],
  [budgeted, 'high', true, {}],
  ['claude-opus-4-8', 'high', true, { effort: 'high' }],
  ['claude-fable-5', 'none', false, { effort: 'low' }],
] as const)(
  '%s with the effort %s, forced to call a tool: %s, gets %j',
  (model, effort, forced, expected) => {
    expect(ask(model, { effort }, { forced })).toEqual(expected);
  },
);

test.each(
  rows<[Reasoning, object]>`
  - [{effort: none}, {thinking: {type: disabled}}]
  - [{budget: 0}, {thinking: {type: disabled}}]
  - [{effort: low}, {thinking: {type: enabled, budget_tokens: 1024}}]
  - [{}, {}]
  - [{show: true}, {}]
`,
)("another vendor's model, which thinks by default, takes %j as %j", (reasoning, expected) => {
  expect(ask('deepseek-v4-pro', reasoning)).toEqual(expected);
});

test.each<[string, string[][], boolean]>([
  ['calls without thinking', [['tool_use'], ['thinking', 'tool_use']], true],
  ['text before its call', [['text', 'tool_use']], true],
  [
    'thinking before each call',
    [['thinking', 'tool_use'], ['thinking', 'text', 'tool_use'], ['text']],
    false,
  ],
])('DeepSeek and Kimi do not think in a history with %s', (_what, contents, off) => {
  const turns = contents.map(types => ({ role: 'assistant', content: types.map(type => ({ type })) }));
  const disabled = { thinking: { type: 'disabled' } };
  for (const model of ['deepseek-v4-pro', 'kimi-k2.6']) {
    expect(ask(model, { effort: 'low' }, { turns })).toEqual(off ? disabled : budget(1_024));
    expect(ask(model, undefined, { turns })).toEqual(off ? disabled : {});
  }
  expect(ask('glm-5', undefined, { turns })).toEqual({});
});

test('an adaptive model without a wish gets no fields', () => {
  expect(ask('claude-opus-4-8')).toEqual({});
});
