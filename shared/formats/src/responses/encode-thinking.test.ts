import type { Reasoning } from '@model-gateway/canonical';
import { user } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import { providerProfiles } from '@model-gateway/providers';
import { expect, test } from 'vitest';
import { encodeInput } from '../testing/encode-input.ts';
import { encode } from './encode.ts';

const factsOf = (kind: string) => {
  const { differences, original } = providerProfiles[kind] ?? {};
  return { differences: differences?.responses, ...(original && { original }) };
};

test.each(
  rows<[string, string, Reasoning, object]>`
  - [openai, gpt-5.4, {effort: none, show: true}, {reasoning: {effort: none}}]
  - [openai, gpt-5, {effort: none}, {reasoning: {effort: minimal}}]
  - [openai, gpt-4o, {effort: none}, {}]
  - [openai, gpt-4o, {effort: high, show: true}, {}]
  - [openai, gpt-5-pro, {effort: low, show: true}, {reasoning: {effort: high, summary: auto}}]
  - [azure-openai, o3, {budget: 0}, {reasoning: {effort: low}}]
  - [volcengine, any, {effort: none}, {thinking: {type: disabled}}]
  - [volcengine, any, {effort: low}, {reasoning: {effort: low}}]
  - [groq, openai/gpt-oss-20b, {effort: max}, {reasoning: {effort: high}}]
  - [xai, grok-4.3, {effort: none}, {reasoning: {effort: none}}]
  - [xai, grok-4-0709, {effort: none}, {}]
  - [fireworks, any, {budget: 0}, {reasoning: {effort: none}}]
  - [lm-studio, any, {effort: xhigh}, {reasoning: {effort: high}}]
  - [openai-compatible, any, {effort: none}, {reasoning: {effort: none}}]
`,
)('%s: %s takes %j as %j', (kind, model, reasoning, expected) => {
  const request = { messages: [user('Hi')], reasoning };
  const {
    input: _,
    include: __,
    ...body
  } = JSON.parse(
    encode(encodeInput({ model, request, ...factsOf(kind) }, { format: 'messages' })).body.toString(),
  );
  expect(body).toEqual({ model, store: false, stream: true, ...expected });
});

test.each(
  rows<[string, string, object, object?]>`
  - [volcengine, any, {effort: none}, {thinking: {type: disabled}}]
  - [volcengine, any, {effort: none, summary: auto}, {reasoning: {summary: auto}, thinking: {type: disabled}}]
  - [groq, openai/gpt-oss-20b, {effort: none}, {reasoning: {effort: low}}]
  - [volcengine, any, {effort: high}]
  - [xai, grok-4.3, {effort: none}]
  - [openai, gpt-5, {effort: none}]
  - [openai-compatible, any, {effort: default}]
`,
)("%s: %s gets a client's own %j", (kind, model, reasoning, expected) => {
  const text = Buffer.from(JSON.stringify({ model: 'x', input: 'none', reasoning }));
  const sent = encode(
    encodeInput({ model, text, ...factsOf(kind) }, { format: 'responses' }),
  ).body.toString();
  const { input: _, include: __, ...body } = JSON.parse(sent);
  expect(body).toEqual({ model, store: false, ...(expected ?? { reasoning }) });
});
