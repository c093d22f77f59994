import { expect, test } from 'vitest';
import { Received } from './bridge-received.ts';

const secret = 'sk-upstream-secret-1';
const received = () =>
  new Received({
    model: 'voice',
    expiresAt: 1_000,
    upstream: { origin: 'http://10.0.0.1:99', headers: { authorization: `Bearer ${secret}` } },
    preparing: undefined,
    onResponse: () => {},
  });

const told = (event: unknown) => {
  const [message] = received().read({ data: Buffer.from(JSON.stringify(event)), text: true });
  return Buffer.from(message?.data ?? '').toString();
};

const error = {
  message: `No ${secret} at http://10.0.0.1:99`,
  param: { key: secret },
  more: [secret],
  event_id: 'mine',
};

test.each([
  { type: 'error', error },
  { type: 'conversation.item.input_audio_transcription.failed', item_id: 'i', error },
  { type: 'mcp_list_tools.failed', item_id: 'i', error },
  {
    type: 'response.done',
    response: { id: 'r', status: 'failed', status_details: { type: 'failed', error } },
  },
])('$type tells of an error without secrets, wherever they stand', event => {
  const text = told(event);
  expect(text).not.toMatch(/secret|10\.0/);
  expect(text).toContain('"event_id":"mine"');
  expect(JSON.parse(text)).toMatchObject({ type: event.type });
});

test.each([
  '{"type":"error"}',
  '{"type":"x.failed","error":"no object"}',
  '{"type":"response.done"}',
  'none',
])('%s is passed on', text => {
  const [message] = received().read({ data: Buffer.from(text), text: true });
  expect(Buffer.from(message?.data ?? '').toString()).toBe(text);
});
