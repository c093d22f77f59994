import type { GenerateRequest } from '@model-gateway/canonical';
import { call, result, says, tells, text, thought, user } from '@model-gateway/canonical/testing/parts';
import { rows } from '@model-gateway/canonical/testing/rows';
import type { FormatDifferences } from '@model-gateway/providers';
import { expect, test } from 'vitest';
import { encodeInput } from '../testing/encode-input.ts';
import { encode } from './encode.ts';
import { readUsage } from './usage.ts';

const turns = [
  user('Hi'),
  user('And?'),
  says(thought('Hm'), call('toolu_012345')),
  tells(result('toolu_012345')),
];

function translated(differences: FormatDifferences, request: GenerateRequest = { messages: turns }) {
  const input = encodeInput({ model: 'm', request, differences, prefill: true }, { format: 'messages' });
  return JSON.parse(encode(input).body.toString());
}

/** A client's own JSON as it is sent. */
function passedOn(body: object | string, differences: FormatDifferences, drop: string[] = []): string {
  const own = Buffer.from(typeof body === 'string' ? body : JSON.stringify({ model: 'x', messages: body }));
  return encode(encodeInput({ model: 'm', text: own, differences, drop })).body.toString();
}

test('ids of calls and results get nine letters and digits, the same for both; an id of that form stays', () => {
  const differences = { callIds: 'nine-characters' } as const;
  const { messages } = translated(differences);
  expect(messages[2].tool_calls[0].id).toMatch(/^[a-zA-Z0-9]{9}$/);
  expect(messages[3].tool_call_id).toBe(messages[2].tool_calls[0].id);
  const ids = ['call_0123456789', 'aB3456789'];
  const tool_calls = ids.map(id => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } }));
  const results = ids.map(tool_call_id => ({ role: 'tool', tool_call_id, content: '1' }));
  const history = [{ role: 'user', content: 'Hi' }, { role: 'assistant', tool_calls }, ...results];
  const sent = JSON.parse(passedOn(history, differences)).messages;
  const called = sent[1].tool_calls.map(({ id }: { id: string }) => id);
  expect(called).toEqual([expect.stringMatching(/^[a-zA-Z0-9]{9}$/), 'aB3456789']);
  expect([sent[2].tool_call_id, sent[3].tool_call_id]).toEqual(called);
});

test.each<[FormatDifferences, object]>([
  [{}, { reasoning_content: 'Hm' }],
  [{ reasoning: 'reasoning' }, { reasoning: 'Hm' }],
  [{ reasoning: null }, {}],
])('with %j, the reasoning of a turn is sent as %j', (differences, fields) => {
  const { role, content, tool_calls, ...rest } = translated(differences).messages[2];
  expect(rest).toEqual(fields);
});

test("reasoning in a client's own history is not sent to a server whose turns have none", () => {
  const said = { role: 'assistant', content: 'Hello' };
  const history = [
    { role: 'user', content: 'Hi' },
    { ...said, reasoning_content: 'Hm' },
  ];
  expect(JSON.parse(passedOn(history, { reasoning: null })).messages[1]).toEqual(said);
  expect(JSON.parse(passedOn(history, {})).messages[1]).toEqual(history[1]);
});

test('turns of one side are joined where sides must alternate; turns of tools stay', () => {
  const { messages } = translated({ alternates: true });
  expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'tool']);
  expect(messages[0].content).toEqual([text('Hi'), text('And?')]);
});

test('a last message of the assistant is continued by the fields of the server', () => {
  const request = { messages: [user('Hi'), says('He')], continuesLastTurn: true };
  const flags = { continue_final_message: true, add_generation_prompt: false };
  expect(translated({ continuation: { request: flags } }, request)).toMatchObject(flags);
  const { messages } = translated({ continuation: { message: { prefix: true } } }, request);
  expect(messages).toMatchObject([{ role: 'user' }, { role: 'assistant', prefix: true }]);
  expect(messages[0]).not.toHaveProperty('prefix');
});

test('fields are renamed and left out, in both kinds of bodies', () => {
  const differences = { renames: { seed: 'random_seed' } };
  expect(translated(differences, { messages: turns, seed: 7 })).toMatchObject({ random_seed: 7 });
  const own = '{"model":"x","seed":9007199254740993,"messages":[],"user":"u"}';
  const sent = '{"model":"m","messages":[],"random_seed":9007199254740993}';
  expect(passedOn(own, differences, ['user'])).toBe(sent);
});

test.each(
  // xAI counts reasoning beside the completion.
  rows<[Record<string, unknown>, object]>`
  - [{prompt_tokens: 10, completion_tokens: 5, total_tokens: 45, completion_tokens_details: {reasoning_tokens: 30}}, {output: 35, reasoning: 30}]
  - [{prompt_tokens: 10, completion_tokens: 35, total_tokens: 45, completion_tokens_details: {reasoning_tokens: 30}}, {output: 35, reasoning: 30}]
  - [{prompt_tokens: 10, cached_tokens: 4}, {cachedInput: 4}]
  - [{prompt_tokens: 10, prompt_cache_hit_tokens: 4}, {cachedInput: 4}]
  - [{prompt_tokens: 10, prompt_tokens_details: {cached_tokens: 4}}, {cachedInput: 4}]
`,
)('the usage %j is read as %j', (raw, expected) => {
  expect(readUsage(raw)).toMatchObject({ input: 10, ...expected });
});
