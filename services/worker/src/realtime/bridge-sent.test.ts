import { expect, test } from 'vitest';
import { toUpstream } from './bridge-sent.ts';

const names = { client: 'voice', upstream: 'gpt-realtime' };
const other = '{"type":"session.update","session":{"model":"gpt-5"}}';

test.each([
  ['begin as an event does', Buffer.from([0x7b, 0xff, 0x00, 0x22])],
  ['are short', Buffer.from([1, 2, 3])],
  ['are none', Buffer.alloc(0)],
  ['are an event', Buffer.from('{"type":"response.create"}')],
])('bytes that %s go on as they came', (_what, data) => {
  expect(toUpstream({ data, text: false }, names)).toEqual({ pass: { data, text: false } });
});

test.each([
  ['plain', other],
  ['behind white space', ` \n${other}`],
  ['behind a byte order mark', `\ufeff${other}`],
])('bytes that name another model, %s, go nowhere', (_how, text) => {
  expect(toUpstream({ data: Buffer.from(text), text: false }, names)).toHaveProperty('refuse');
});

test.each([
  '{"type":"session.update","session":{"mod\\u0065l":"gpt-5"}}',
  '{"type":"session.update","session":{"model":"voice","mod\\u0065l":"gpt-5"}}',
  '{"type":"session.update","session":{"model":"voice"},"sess\\u0069on":{"model":"gpt-5"}}',
])('escaped names are names: %s', text => {
  expect(toUpstream({ data: Buffer.from(text), text: true }, names)).toHaveProperty('refuse');
});
