import type { GenerateRequest } from '@model-gateway/canonical';
import type { FormatDifferences } from '@model-gateway/providers';
import { expect, test } from 'vitest';
import { encodeInput } from '../../testing/encode-input.ts';
import { readUsage } from './decode-choices.ts';
import { encode } from './encode.ts';

const user = (text: string) => ({ role: 'user' as const, content: [{ type: 'text' as const, text }] });
const conversation: GenerateRequest = {
  messages: [
    user('Hi'),
    user('What is the weather?'),
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm' },
        { type: 'tool-call', id: 'toolu_012345', name: 'weather', arguments: '{}' },
      ],
    },
    { role: 'tool', content: [{ type: 'tool-result', callId: 'toolu_012345', content: [] }] },
  ],
};

function translated(differences: FormatDifferences, request = conversation) {
  const input = encodeInput({ model: 'm', request, differences, prefill: true }, { format: 'messages' });
  return JSON.parse(encode(input).body.toString());
}

test('ids of calls and results get nine letters and digits, the same for both', () => {
  const { messages } = translated({ callIds: 'nine-characters' });
  const [, , turn, result] = messages;
  expect(turn.tool_calls[0].id).toMatch(/^[a-zA-Z0-9]{9}$/);
  expect(result.tool_call_id).toBe(turn.tool_calls[0].id);
});

test("a client's own history gets these ids, too; an id of that form stays", () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', tool_calls: [call('call_0123456789'), call('aB3456789')] },
    { role: 'tool', tool_call_id: 'call_0123456789', content: '1' },
    { role: 'tool', tool_call_id: 'aB3456789', content: '2' },
  ];
  const text = Buffer.from(JSON.stringify({ model: 'x', messages }));
  const input = encodeInput({ model: 'm', text, differences: { callIds: 'nine-characters' } });
  const sent = JSON.parse(encode(input).body.toString()).messages;
  const ids = sent[1].tool_calls.map(({ id }: { id: string }) => id);
  expect(ids).toEqual([expect.stringMatching(/^[a-zA-Z0-9]{9}$/), 'aB3456789']);
  expect([sent[2].tool_call_id, sent[3].tool_call_id]).toEqual(ids);
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
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello', reasoning_content: 'Hm' },
  ];
  const text = Buffer.from(JSON.stringify({ model: 'x', messages }));
  const sentWith = (differences: FormatDifferences) =>
    JSON.parse(encode(encodeInput({ model: 'm', text, differences })).body.toString()).messages[1];
  expect(sentWith({ reasoning: null })).toEqual({ role: 'assistant', content: 'Hello' });
  expect(sentWith({})).toEqual(messages[1]);
});

test('turns of one side are joined where sides must alternate; turns of tools stay', () => {
  const { messages } = translated({ alternates: true });
  expect(messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'tool']);
  expect(messages[0].content).toEqual([
    { type: 'text', text: 'Hi' },
    { type: 'text', text: 'What is the weather?' },
  ]);
});

test('a last message of the assistant is continued by the fields of the server', () => {
  const request: GenerateRequest = {
    messages: [user('Hi'), { role: 'assistant', content: [{ type: 'text', text: 'He' }] }],
    continuesLastTurn: true,
  };
  const flags = { continue_final_message: true, add_generation_prompt: false };
  expect(translated({ continuation: { request: flags } }, request)).toMatchObject(flags);
  const marked = translated({ continuation: { message: { prefix: true } } }, request);
  expect(marked.messages).toMatchObject([{ role: 'user' }, { role: 'assistant', prefix: true }]);
  expect(marked.messages[0]).not.toHaveProperty('prefix');
});

test('fields are renamed and left out, in both kinds of bodies', () => {
  const differences = { renames: { seed: 'random_seed' } };
  expect(translated(differences, { ...conversation, seed: 7 })).toMatchObject({ random_seed: 7 });
  const text = Buffer.from('{"model":"x","seed":9007199254740993,"messages":[],"user":"u"}');
  const input = encodeInput({ model: 'm', text, differences, drop: ['user'] });
  expect(encode(input).body.toString()).toBe('{"model":"m","messages":[],"random_seed":9007199254740993}');
});

test.each([
  // xAI counts reasoning beside the completion.
  [
    {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 45,
      completion_tokens_details: { reasoning_tokens: 30 },
    },
    35,
  ],
  [
    {
      prompt_tokens: 10,
      completion_tokens: 35,
      total_tokens: 45,
      completion_tokens_details: { reasoning_tokens: 30 },
    },
    35,
  ],
])('the usage %j has an output of %i tokens', (raw, output) => {
  expect(readUsage(raw)).toMatchObject({ input: 10, output, reasoning: 30 });
});

test.each([
  { cached_tokens: 4 },
  { prompt_cache_hit_tokens: 4 },
  { prompt_tokens_details: { cached_tokens: 4 } },
])('cached tokens are read from %j', fields => {
  expect(readUsage({ prompt_tokens: 9, ...fields })).toMatchObject({ input: 9, cachedInput: 4 });
});
