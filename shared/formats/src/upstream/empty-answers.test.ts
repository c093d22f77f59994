import { expect, test } from 'vitest';
import { decodeBody as decodeConverse } from '../converse/decode.ts';
import { decodeBody as decodeMessages, WholeDecoder } from '../messages/decode.ts';

const options = { tools: new Map(), seed: 'req_1' };
const message = {
  type: 'message',
  id: 'm',
  role: 'assistant',
  model: 'up',
  stop_reason: 'end_turn',
  content: null,
};
const bytes = (value: object) => Buffer.from(JSON.stringify(value));

test('a whole answer whose content is null is empty', () => {
  const finish = { type: 'finish', reason: 'stop' };
  expect(decodeMessages(bytes(message), options)).toMatchObject([{ type: 'start' }, finish]);
  const converse = { output: { message: { role: 'assistant', content: null } }, stopReason: 'end_turn' };
  expect(decodeConverse(bytes(converse), options)).toMatchObject([{ type: 'start' }, finish]);
  const passed = new WholeDecoder();
  passed.read(bytes(message));
  expect(passed.end()).toMatchObject([{ type: 'verbatim' }, finish]);
});
