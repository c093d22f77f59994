import type { Reasoning } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { type ThinkingContext, thinking } from './encode-thinking.ts';
import { type ModelTraits, modelTraits } from './models.ts';

const ask = (model: string, reasoning: Reasoning | undefined, context: Partial<ThinkingContext> = {}) =>
  thinking(reasoning, {
    capabilities: modelTraits(model),
    maxTokens: 64_000,
    forced: false,
    turns: [],
    ...context,
  });

test.each<[string, Partial<ModelTraits>]>([
  ['claude-2.1', { thinking: 'none', sampling: true, schema: false }],
  ['claude-3-5-haiku-20241022', { thinking: 'none' }],
  ['claude-3-opus-20240229', { thinking: 'none' }],
  ['claude-3-7-sonnet-latest', { thinking: 'budget', schema: false }],
  ['claude-sonnet-4-20250514', { thinking: 'budget', schema: false }],
  ['claude-opus-4-1-20250805', { thinking: 'budget', schema: false }],
  ['anthropic.claude-haiku-4-5-20251001-v1:0', { thinking: 'budget', sampling: true, schema: true }],
  ['anthropic/claude-sonnet-4.5', { thinking: 'budget', schema: true }],
  ['claude-opus-4-6', { thinking: 'adaptive', sampling: true, schema: true }],
  ['claude-opus-4-8', { thinking: 'adaptive', sampling: false, supportsThinkingOff: true }],
  ['claude-sonnet-5', { thinking: 'adaptive', sampling: false, supportsThinkingOff: true }],
  ['claude-opus-5-1', { thinking: 'adaptive', sampling: false }],
  ['claude-fable-5', { thinking: 'adaptive', sampling: false, supportsThinkingOff: false }],
  ['another-model', { thinking: 'budget', sampling: true, schema: false }],
])('the model %s has the traits %j', (model, expected) => {
  expect(modelTraits(model)).toMatchObject(expected);
});

describe('a model with a thinking budget', () => {
  const model = 'claude-sonnet-4-5';
  const budget = (tokens: number) => ({ thinking: { type: 'enabled', budget_tokens: tokens } });

  test.each<[Reasoning | undefined, object]>([
    [undefined, {}],
    [{}, {}],
    [{ show: true }, {}],
    [{ effort: 'none' }, {}],
    [{ budget: 0 }, {}],
    [{ effort: 'minimal' }, budget(1_024)],
    [{ effort: 'low' }, budget(1_024)],
    [{ effort: 'medium', show: true }, budget(4_096)],
    [{ effort: 'high' }, budget(16_384)],
    [{ effort: 'xhigh' }, budget(32_768)],
    [{ effort: 'max' }, budget(32_768)],
    [{ adaptive: true }, budget(4_096)],
    [{ adaptive: true, effort: 'high' }, budget(16_384)],
    [{ budget: 10 }, budget(1_024)],
    [{ budget: 5_000 }, budget(5_000)],
    [{ budget: -1 }, {}],
    [{ budget: 5_000, show: false }, { thinking: { ...budget(5_000).thinking, display: 'omitted' } }],
  ])('reasoning %j becomes %j for a model with a budget (pitfall 24)', (reasoning, expected) => {
    expect(ask(model, reasoning)).toEqual(expected);
  });

  test.each([
    [1_024, undefined],
    [1_025, 1_024],
    [2_000, 1_500],
    [4_096, 3_072],
  ])('the budget stays below %i output tokens and leaves room for text', (maxTokens, tokens) => {
    const { thinking: sent } = ask(model, { effort: 'max' }, { maxTokens });
    expect(sent?.type === 'enabled' ? sent.budget_tokens : undefined).toBe(tokens);
  });

  test('thinking is off if the model must call a tool', () => {
    expect(ask(model, { effort: 'high' }, { forced: true })).toEqual({});
  });

  test.each<[string, string[], boolean]>([
    ['no thinking', ['tool_use'], false],
    ['text before its call, without thinking', ['text', 'tool_use'], false],
    ['thinking', ['thinking', 'text', 'tool_use'], true],
    ['redacted thinking', ['redacted_thinking', 'tool_use'], true],
    ['no calls', ['text'], true],
  ])('thinking depends on the last assistant turn: %s (pitfall 17)', (_what, types, thinks) => {
    const turns = [
      { role: 'assistant', content: types.map(type => ({ type })) },
      { role: 'user', content: [{ type: 'tool_result' }] },
    ];
    expect('thinking' in ask(model, { effort: 'low' }, { turns })).toBe(thinks);
    expect('thinking' in ask('claude-opus-4-6', { effort: 'low' }, { turns })).toBe(true);
  });
});

describe('a model with adaptive thinking', () => {
  const adaptive = { type: 'adaptive' };
  const shown = { type: 'adaptive', display: 'summarized' };

  test.each<[Reasoning | undefined, object]>([
    [undefined, {}],
    [{}, {}],
    [{ effort: 'none' }, { thinking: { type: 'disabled' } }],
    [{ budget: 0 }, { thinking: { type: 'disabled' } }],
    [{ effort: 'minimal' }, { thinking: adaptive, effort: 'low' }],
    [
      { effort: 'low', show: true },
      { thinking: shown, effort: 'low' },
    ],
    [{ effort: 'medium' }, { thinking: adaptive, effort: 'medium' }],
    [{ effort: 'high' }, { thinking: adaptive, effort: 'high' }],
    [{ effort: 'xhigh' }, { thinking: adaptive, effort: 'xhigh' }],
    [{ effort: 'max' }, { thinking: adaptive, effort: 'max' }],
    [{ budget: 1_024 }, { thinking: adaptive, effort: 'low' }],
    [{ budget: 8_192 }, { thinking: adaptive, effort: 'medium' }],
    [{ budget: 24_576 }, { thinking: adaptive, effort: 'high' }],
    [{ budget: 24_577 }, { thinking: adaptive, effort: 'xhigh' }],
    [{ adaptive: true, show: false }, { thinking: { type: 'adaptive', display: 'omitted' } }],
    [{ show: false }, {}],
    [{ show: true }, { thinking: shown }],
  ])('reasoning %j becomes %j for an adaptive model', (reasoning, expected) => {
    expect(ask('claude-opus-4-8', reasoning)).toEqual(expected);
  });

  test('a model whose thinking cannot be disabled gets low effort', () => {
    expect(ask('claude-fable-5', { effort: 'none' })).toEqual({ effort: 'low' });
  });

  test('an adaptive model keeps its effort if it must call a tool', () => {
    expect(ask('claude-opus-4-8', { effort: 'high' }, { forced: true })).toEqual({ effort: 'high' });
  });
});

test('a model without thinking gets no thinking fields', () => {
  expect(ask('claude-3-5-sonnet-20241022', { effort: 'high' })).toEqual({});
});
