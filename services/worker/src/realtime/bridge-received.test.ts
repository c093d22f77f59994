import { expect, test } from 'vitest';
import { Received } from './bridge-received.ts';

const secret = 'sk-upstream-secret-1';
const newReceived = () =>
  new Received({
    model: 'voice',
    expiresAt: 1_000,
    upstream: { origin: 'http://10.0.0.1:99', headers: { authorization: `Bearer ${secret}` } },
    preparing: undefined,
    onResponse: () => {},
  });

const received = (event: unknown) => {
  const [message] = newReceived().read({ data: Buffer.from(JSON.stringify(event)), text: true });
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
])('the error of a $type event is redacted at every depth', event => {
  const text = received(event);
  expect(text).not.toMatch(/secret|10\.0/);
  expect(text).toContain('"event_id":"mine"');
  expect(JSON.parse(text)).toMatchObject({ type: event.type });
});

test.each([
  '{"type":"error"}',
  '{"type":"x.failed","error":"no object"}',
  '{"type":"response.done"}',
  'none',
])('the message %s is passed on unchanged', text => {
  const [message] = newReceived().read({ data: Buffer.from(text), text: true });
  expect(Buffer.from(message?.data ?? '').toString()).toBe(text);
});
