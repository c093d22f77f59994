import { expect, test } from 'vitest';
import { toUpstream } from './bridge-sent.ts';

const names = { client: 'voice', upstream: 'gpt-realtime' };
const other = '{"type":"session.update","session":{"model":"gpt-5"}}';

test.each([
  ['that begins like an event', Buffer.from([0x7b, 0xff, 0x00, 0x22])],
  ['of three bytes', Buffer.from([1, 2, 3])],
  ['without bytes', Buffer.alloc(0)],
  ['that is an event', Buffer.from('{"type":"response.create"}')],
])('a binary message %s is passed on unchanged', (_what, data) => {
  expect(toUpstream({ data, text: false }, names)).toEqual({ pass: { data, text: false } });
});

test.each([
  ['without prefix', other],
  ['after white space', ` \n${other}`],
  ['after a byte order mark', `\ufeff${other}`],
])('a binary event with another model, %s, is refused', (_how, text) => {
  expect(toUpstream({ data: Buffer.from(text), text: false }, names)).toHaveProperty('refuse');
});

test.each([
  '{"type":"session.update","session":{"mod\\u0065l":"gpt-5"}}',
  '{"type":"session.update","session":{"model":"voice","mod\\u0065l":"gpt-5"}}',
  '{"type":"session.update","session":{"model":"voice"},"sess\\u0069on":{"model":"gpt-5"}}',
])('an escaped key is recognised: %s', text => {
  expect(toUpstream({ data: Buffer.from(text), text: true }, names)).toHaveProperty('refuse');
});

test.each([
  ['{"type":"session.update","session":{"MODEL":"gpt-5"}}', 'session.MODEL'],
  ['{"type":"session.update","session":{"\uff4dodel":"gpt-5"}}', 'session.\uff4dodel'],
  ['{"type":"response.create","response":{"mo\\u00addel":"gpt-5"}}', 'response.mo\u00addel'],
  ['{"type":"session.update","Session":{"model":"gpt-5"}}', 'Session'],
  ['{"type":"x","session\\u0000":{"model":"gpt-5"}}', 'session\u0000'],
])('a key that a lenient reader takes for another one is refused: %s', (text, param) => {
  const sent = toUpstream({ data: Buffer.from(text), text: true }, names);
  expect(JSON.parse((sent as { refuse: string }).refuse).error).toMatchObject({ param });
});
