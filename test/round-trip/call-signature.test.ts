import { readFileSync } from 'node:fs';
import type { GenerateEvent } from '@model-gateway/canonical';
import { folded } from '@model-gateway/canonical/testing/events';
import { readMessage } from '@model-gateway/formats/testing/message-reader';
import { describe, expect, test } from 'vitest';
import { chatDialect } from '../../shared/formats/src/chat/dialect.ts';
import { parse as parseMessages } from '../../shared/formats/src/messages/parse.ts';
import type { CanonicalInput } from '../../shared/formats/src/upstream/dialect.ts';
import { context, encoded, parsedAs, renderers } from './hops.ts';

const recorded = new URL('../../shared/formats/src/chat/examples/gemini-text-call.sse', import.meta.url);
const user = { role: 'user', content: 'Weather?' };
const input = {
  envelope: { requestId: 'req_1', format: 'messages' },
  body: 'canonical',
  request: { messages: [], signaturesBefore: true },
  model: 'gemini-3-pro',
  drop: [],
  limits: {},
} as unknown as CanonicalInput;

function answer(): GenerateEvent[] {
  const decoder = chatDialect.decodeStream(input);
  return [...decoder.read(readFileSync(recorded)), ...decoder.end()];
}

function historyAfter(content: Record<string, unknown>[]) {
  const call = content.find(({ type }) => type === 'tool_use');
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: call?.id, content: '4 C' }] };
  return { model: 'm', max_tokens: 9, messages: [user, { role: 'assistant', content }, result] };
}

describe("a Gemini call's signature from a chat upstream to a messages client", () => {
  const whole = renderers.messages.whole(folded(answer()), context) as { content: Record<string, unknown>[] };
  const signature = 'CoYBAcu98PAz';

  test('the signature comes before its call, whole and streamed', () => {
    expect(whole.content).toMatchObject([
      { type: 'text', text: 'Looking.' },
      { type: 'thinking', thinking: '', signature: `gg:${signature}` },
      { type: 'tool_use', name: 'weather' },
    ]);
    const write = renderers.messages.stream(context).add;
    const streamed = readMessage(answer().map(write).join(''));
    expect(streamed.content).toEqual(whole.content);
  });

  test('the signature is sent back in its place', () => {
    const request = parsedAs('messages', historyAfter(whole.content));
    const { body } = chatDialect.encode({ ...input, request });
    const [, { tool_calls: calls }] = JSON.parse(body.toString()).messages;
    expect(calls).toMatchObject([{ extra_content: { google: { thought_signature: signature } } }]);
  });

  test('the signature is not sent to another vendor of messages', () => {
    const history = historyAfter(whole.content);
    expect(parseMessages(history, {}).foreign).toBe(true);
    expect(JSON.stringify(encoded(parsedAs('messages', history), 'messages'))).not.toContain(signature);
  });
});
