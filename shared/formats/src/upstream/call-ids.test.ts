import type { GenerateEvent, GenerateRequest, WireFormat } from '@model-gateway/canonical';
import { readAll } from '@model-gateway/canonical/testing/events';
import { call, result, says, tells, user } from '@model-gateway/canonical/testing/parts';
import { describe, expect, test } from 'vitest';
import { chatDialect } from '../chat/dialect.ts';
import { cohereChatDialect } from '../cohere-chat/dialect.ts';
import { converseDialect } from '../converse/dialect.ts';
import { generateContentDialect } from '../generate-content/dialect.ts';
import { messagesDialect } from '../messages/dialect.ts';
import { responsesDialect } from '../responses/dialect.ts';
import { encodeInput } from '../testing/encode-input.ts';
import { AnswerIds } from './call-ids.ts';
import type { CanonicalInput, Dialect } from './dialect.ts';

test('an answer has ids of its own', () => {
  const ids = new AnswerIds({ seed: 'req_1', history: [user('a'), says(call('call_0'))] });
  const made = ['call_0', 'call_1', 'call_1', '', ' ', undefined, null].map(id => ids.of(id));
  expect(made[1]).toBe('call_1');
  expect(new Set(made).size).toBe(made.length);
  expect(made.every(id => /^call_[0-9a-f]+$/.test(id))).toBe(true);
});

const name = 'f';
const tools: GenerateRequest['tools'] = [{ type: 'function', name }];
/** A conversation whose calls are `call_0` each. */
const messages = [user('a'), says(call('call_0')), tells(result('call_0', 'x')), user('go on')];
const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`;

/** A stream, or a whole answer, of two calls with the id `id`, as an upstream of a format sends it. */
const answers: Record<string, [Dialect | Dialect<CanonicalInput>, (id: string) => string | object]> = {
  chat: [
    chatDialect,
    id => {
      const fragment = (index: number) => ({
        index,
        id,
        type: 'function',
        function: { name, arguments: '{"x":1}' },
      });
      const chunk = (delta: object, finish_reason: string | null = null) =>
        data({ id: 'c', model: 'up', choices: [{ index: 0, delta, finish_reason }] });
      return `${chunk({ tool_calls: [fragment(0), fragment(1)] })}${chunk({}, 'tool_calls')}data: [DONE]\n\n`;
    },
  ],
  messages: [
    messagesDialect,
    id => ({
      ...{ id: 'm', type: 'message', role: 'assistant', model: 'up', stop_reason: 'tool_use' },
      content: [0, 1].map(() => ({ type: 'tool_use', id, name, input: { x: 1 } })),
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  ],
  responses: [
    responsesDialect,
    id => ({
      ...{ id: 'r', object: 'response', model: 'up', status: 'completed' },
      output: [0, 1].map(at => ({
        type: 'function_call',
        id: `fc_${at}`,
        call_id: id,
        name,
        arguments: '{}',
      })),
    }),
  ],
  'generate-content': [
    generateContentDialect,
    id => {
      const parts = [0, 1].map(() => ({ functionCall: { id, name: 'default_api:f', args: { x: 1 } } }));
      return data({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] });
    },
  ],
  'cohere-chat': [
    cohereChatDialect,
    id => ({
      ...{ id: 'c', finish_reason: 'TOOL_CALL' },
      message: {
        role: 'assistant',
        tool_calls: [0, 1].map(() => ({ id, type: 'function', function: { name, arguments: '{}' } })),
      },
    }),
  ],
  converse: [
    converseDialect,
    id => ({
      output: {
        message: {
          role: 'assistant',
          content: [0, 1].map(() => ({ toolUse: { toolUseId: id, name, input: {} } })),
        },
      },
      stopReason: 'tool_use',
    }),
  ],
};

/** Decodes an answer. Returns its calls. */
function callsIn(format: string, id: string) {
  const [dialect, answer] = answers[format] as (typeof answers)[string];
  const input = encodeInput(
    { model: 'up', request: { messages, tools } },
    { format: 'messages' as WireFormat },
  );
  const sent = answer(id);
  const events: GenerateEvent[] =
    typeof sent === 'string'
      ? readAll(dialect.decodeStream(input as CanonicalInput), sent)
      : (dialect.decodeBody(Buffer.from(JSON.stringify(sent)), input as CanonicalInput) ?? []);
  expect(events.at(-1)).toMatchObject({ type: 'finish' });
  return events.flatMap(event =>
    event.type === 'part-start' && event.part.type === 'tool-call' ? [event.part] : [],
  );
}

describe.each(Object.keys(answers))('an answer of the format %s', format => {
  test.each(['call_0', '', ' '])('has other ids than its conversation, and one for each call: %j', id => {
    const calls = callsIn(format, id);
    expect(calls.map(({ name }) => name)).toEqual([name, name]);
    const ids = calls.map(({ id }) => id);
    expect(ids).not.toContain(id);
    expect(new Set(ids).size).toBe(2);
  });

  test('keeps an id of its own', () => {
    expect(callsIn(format, 'own').map(({ id }) => id)).toEqual(['own', expect.not.stringMatching('own')]);
  });
});
