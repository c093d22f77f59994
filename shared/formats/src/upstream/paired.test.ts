import type { Message } from '@model-gateway/canonical';
import { refusal } from '@model-gateway/canonical/testing/events';
import { call, failed, result, says, system, tells, user } from '@model-gateway/canonical/testing/parts';
import { expect, test } from 'vitest';
import { paired } from './call-ids.ts';

const hi = user('Hi');

test.each<[string, Message[], Message[]]>([
  [
    'ids that repeat in each turn',
    [
      ...[hi, says(call('call_0')), tells(result('call_0', 'a'))],
      ...[says('So', call('call_0', '{"x":1}')), tells(result('call_0', 'b'))],
      ...[says(call('call_0')), tells(failed(result('call_0', 'c'))), hi],
    ],
    [
      ...[hi, says(call('call_0')), tells(result('call_0', 'a'))],
      ...[says('So', call('call_0_2', '{"x":1}')), tells(result('call_0_2', 'b'))],
      ...[says(call('call_0_3')), tells(failed(result('call_0_3', 'c'))), hi],
    ],
  ],
  [
    'two calls of one id in a turn, with a result each',
    [
      says(call('a', '1'), call('b'), call('a', '2')),
      tells(result('a', '1')),
      tells(result('b'), result('a', '2')),
    ],
    [
      says(call('a', '1'), call('b'), call('a_2', '2')),
      ...[tells(result('a', '1')), tells(result('b'), result('a_2', '2'))],
    ],
  ],
  [
    'two calls of one id in a turn, with one result',
    [says(call('a', '1'), call('a', '2')), tells(result('a', 'x')), hi],
    [says(call('a', '1'), call('a_2', '2')), tells(result('a', 'x'), result('a_2', 'x')), hi],
  ],
  [
    'an id that looks like one of those that are made',
    [
      ...[says(call('a')), tells(result('a')), says(call('a')), tells(result('a'))],
      ...[says(call('a_2')), tells(result('a_2')), says(call('a')), tells(result('a'))],
    ],
    [
      ...[says(call('a')), tells(result('a')), says(call('a_2')), tells(result('a_2'))],
      ...[says(call('a_2_2')), tells(result('a_2_2')), says(call('a_3')), tells(result('a_3'))],
    ],
  ],
  [
    'calls of several messages in a row, and a user beside the results',
    [says(call('a')), says(call('a')), tells(result('a', '1')), user('x'), tells(result('a', '2'))],
    [says(call('a')), says(call('a_2')), tells(result('a', '1')), user('x'), tells(result('a_2', '2'))],
  ],
])('%s become unique, in calls and results alike', (_what, messages, expected) => {
  expect(paired(messages)).toEqual(expected);
});

test('messages whose ids are unique are the same', () => {
  const messages = [system('s'), hi, says(call('a'), call('b')), tells(result('b'), result('a')), says('x')];
  const sent = paired(messages);
  expect(sent.every((message, at) => message === messages[at])).toBe(true);
});

test.each<[string, Message[], string]>([
  ['a call without a result', [says(call('a')), hi], "'a'"],
  ['calls without results', [says(call('a'), call('b')), says('x'), hi], "'a', 'b'"],
  ['a result without a call', [hi, tells(result('a'))], "'a'"],
  ['a second result', [says(call('a')), tells(result('a'), result('a'))], "'a'"],
  [
    'a result of an earlier turn',
    [says(call('a')), tells(result('a')), says('x'), tells(result('a'))],
    "'a'",
  ],
])('%s is refused', (_what, messages, named) => {
  const refused = refusal(() => paired(messages));
  expect(refused).toMatchObject({ kind: 'invalid-request', path: 'messages' });
  expect(refused?.message).toContain(named);
});

test('many calls of one id are renamed at once', () => {
  const count = 2_000;
  const turns = Array.from({ length: count }, () => [says(call('call_0')), tells(result('call_0'))]).flat();
  const ids = paired(turns).flatMap(({ content }) => content.flatMap(part => ('id' in part ? part.id : [])));
  expect(new Set(ids).size).toBe(count);
});
