import { rows } from '@model-gateway/canonical/testing/rows';
import { expect, test } from 'vitest';
import { readUsage, readUsageOf } from './any-usage.ts';

test.each(
  rows<[unknown, object | null]>`
  - [{input_tokens: 14, output_tokens: 3, total_tokens: 17, input_token_details: {audio_tokens: 10}}, {input: 14, audioInput: 10, output: 3}]
  - [{prompt_tokens: 10, completion_tokens: 1000, total_tokens: 1010}, {input: 10, output: 1000}]
  - [{prompt_tokens: 4, prompt_tokens_details: {cached_tokens: 2, image_tokens: 1}}, {input: 4, cachedInput: 2, imageInput: 1, output: 0}]
  - [{generated_images: 1, output_tokens: 16, total_tokens: 16}, {input: 0, output: 16}]
  - [{total_tokens: 9}, {input: 9}]
  - [{prompt_audio_seconds: 30, prompt_tokens: 3, completion_tokens: 42, total_tokens: 420, prompt_tokens_details: {audio_tokens: 375}}, {input: 378, audioInput: 375, output: 42, units: {seconds: 30}}]
  - [{type: duration, seconds: 2}, {input: 0, units: {seconds: 2}}]
  - [{duration: 9.5}, {units: {seconds: 9.5}}]
  - [{prompt_tokens: '4', completion_tokens: '2'}, {input: 4, output: 2}]
  - [{output_tokens: 5, output_tokens_details: {reasoning_tokens: 2, audio_tokens: 1}}, {output: 5, reasoning: 2, audioOutput: 1}]
  - [{prompt_tokens: 0, total_tokens: 0}, null]
  - [{seconds: 0}, null]
  - [{prompt_tokens: many, completion_tokens: -1}, null]
  - [{}, null]
  - [null, null]
  - [[1], null]
  - [5, null]
`,
)('%j is read as %j', (raw, usage) => {
  const read = readUsage(raw);
  if (usage) expect(read).toMatchObject({ ...usage, raw });
  else expect(read).toBeNull();
});

test.each(
  rows<[object, object | null]>`
  - [{usage: {prompt_tokens: 3}, meta: {tokens: {input_tokens: 9}}}, {input: 3}]
  - [{usage: {total_tokens: 0}, meta: {billed_units: {search_units: 2}}}, {input: 0, units: {searches: 2}}]
  - [{meta: {billed_units: {input_tokens: 4}}}, {input: 4}]
  - [{meta: {tokens: {input_tokens: 7}, billed_units: {input_tokens: 5, search_units: 1}}}, {input: 7, units: {searches: 1}}]
  - [{meta: {tokens: {input_tokens: 0, output_tokens: 0}, billed_units: {input_tokens: 5}}}, {input: 5}]
  - [{meta: {billed_units: {total_tokens: 6}}}, {input: 6}]
  - [{usage: {billed_units: {input_tokens: 6, output_tokens: 2}}}, {input: 6, output: 2}]
  - [{results: [], tokens: {input_tokens: 28, output_tokens: 0}}, {input: 28, output: 0}]
  - [{meta: {billed_units: {search_units: 0}}}, null]
  - [{usage: null, meta: {}}, null]
  - [{}, null]
`,
)('the usage of an answer with %j is %j', (answer, usage) => {
  const read = readUsageOf(answer);
  if (usage) expect(read).toMatchObject(usage);
  else expect(read).toBeNull();
});
