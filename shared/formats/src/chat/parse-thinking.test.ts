import { refusal } from '@model-gateway/canonical/testing/events';
import { rows } from '@model-gateway/canonical/testing/rows';
import { expect, test } from 'vitest';
import { parse } from './parse.ts';

const canonical = (fields: object) =>
  parse({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...fields }).canonical();

test.each(
  rows<[object, object | null]>`
  - [{thinking: {type: disabled}}, {effort: none}]
  - [{thinking: {type: enabled}}, {adaptive: true, show: true}]
  - [{thinking: {type: enabled, budget_tokens: 2000}}, {budget: 2000, show: true}]
  - [{thinking: {type: auto}}, {adaptive: true, show: true}]
  - [{enable_thinking: false}, {effort: none}]
  - [{enable_thinking: true}, {adaptive: true, show: true}]
  - [{enable_thinking: true, thinking_budget: 500}, {budget: 500, show: true}]
  - [{chat_template_kwargs: {enable_thinking: false}}, {effort: none}]
  - [{chat_template_kwargs: {thinking: false}}, {effort: none}]
  - [{chat_template_kwargs: {thinking: true}}, {adaptive: true, show: true}]
  - [{reasoning: {enabled: false}}, {effort: none}]
  - [{reasoning: {effort: none}}, {effort: none}]
  - [{reasoning: {effort: low, exclude: true}}, {effort: low, show: true}]
  - [{reasoning: {max_tokens: 2000}}, {budget: 2000, show: true}]
  - [{reasoning_effort: high, thinking: {type: disabled}}, {effort: none}]
  - [{reasoning_effort: high, enable_thinking: true}, {effort: high, show: true}]
  - [{chat_template_kwargs: {custom: 1}}, null]
  - [{thinking: yes, reasoning: 1, chat_template_kwargs: null}, null]
`,
)('the fields %j of other chat servers are read as %j', (fields, reasoning) => {
  expect(canonical(fields).reasoning).toEqual(reasoning ?? undefined);
});

test('a level that no other vendor knows is refused if the request is translated', () => {
  expect(refusal(() => canonical({ reasoning_effort: 'huge' }))).toMatchObject({
    ...{ kind: 'invalid-request', param: 'reasoning_effort', code: 'invalid_value' },
  });
});
