import { expect, test } from 'vitest';
import {
  anotherMayHelp,
  asNotRepresentable,
  Failures,
  formatFields,
  fromErrorEvent,
  GatewayError,
  renamePath,
  toErrorEvent,
} from './index.ts';

test('an invalid request is not tried elsewhere, unless only one format cannot represent it', () => {
  const invalid = new GatewayError('invalid-request', 'No.', { param: 'n' });
  expect(anotherMayHelp(invalid)).toBe(false);
  const notRepresentable = asNotRepresentable(invalid);
  expect(notRepresentable).toMatchObject({ message: 'No.', details: { param: 'n' } });
  expect(anotherMayHelp(notRepresentable)).toBe(true);
  expect(anotherMayHelp(toErrorEvent(notRepresentable))).toBe(true);
  expect(anotherMayHelp(fromErrorEvent(toErrorEvent(notRepresentable)))).toBe(true);
});

test('asNotRepresentable returns an internal error unchanged', () => {
  const broken = new GatewayError('internal', 'Broken.');
  expect(asNotRepresentable(broken)).toBe(broken);
});

test('a request over which workers were lost is not tried again', () => {
  expect(anotherMayHelp(new GatewayError('upstream', 'Lost.'))).toBe(true);
  expect(anotherMayHelp(new GatewayError('upstream', 'Lost.', { lostWorkers: true }))).toBe(false);
});

const failure = (kind: GatewayError['kind'], retryAfterMs?: number) =>
  new GatewayError(kind, kind, retryAfterMs === undefined ? {} : { retryAfterMs });
const unfit = new GatewayError('invalid-request', 'Not in this format.', { notRepresentable: true });

test.each<[string, GatewayError[], GatewayError['kind'], number | undefined]>([
  ['both have one', [failure('rate-limited', 3), failure('overloaded', 60)], 'overloaded', 3],
  ['the second has the shorter', [failure('rate-limited', 60), failure('overloaded', 3)], 'overloaded', 3],
  ['only the first has one', [failure('rate-limited', 3), failure('upstream')], 'upstream', 3],
  ['neither has one', [failure('rate-limited'), failure('upstream')], 'upstream', undefined],
  [
    'the request is invalid',
    [failure('rate-limited', 3), failure('invalid-request')],
    'invalid-request',
    undefined,
  ],
  ['the last one does not fit', [failure('rate-limited', 3), unfit], 'rate-limited', 3],
  ['no route failed', [], 'upstream', undefined],
])('the client gets the last error and the shortest wait: %s', (_, added, kind, retryAfterMs) => {
  const failures = new Failures();
  for (const each of added) failures.add(each);
  expect(failures.error.kind).toBe(kind);
  expect(failures.error.details.retryAfterMs).toBe(retryAfterMs);
});

test('another route may help unless the request is invalid', () => {
  const failures = new Failures();
  expect(failures.add(unfit)).toBe(true);
  expect(failures.add(failure('upstream'))).toBe(true);
  expect(failures.add(failure('invalid-request'))).toBe(false);
});

test("an error with a path gets the client's name of the field, in its message too", () => {
  const error = new GatewayError('invalid-request', "Invalid '{path}': no.", { path: 'stop[1]', code: 'c' });
  expect(fromErrorEvent(toErrorEvent(error), { stop: 'stop_sequences' })).toMatchObject({
    message: "Invalid 'stop_sequences[1]': no.",
    details: { param: 'stop_sequences[1]', code: 'c' },
  });
  expect(fromErrorEvent(toErrorEvent(error))).toMatchObject({
    message: "Invalid 'stop[1]': no.",
    details: { param: 'stop[1]' },
  });
});

test("an upstream's error with a path keeps its sentence", () => {
  const details = { param: 'max_tokens', path: 'maxTokens' };
  const event = toErrorEvent(new GatewayError('invalid-request', 'max_tokens or {path}?', details));
  expect(fromErrorEvent(event, { maxTokens: 'max_completion_tokens' })).toMatchObject({
    message: 'max_tokens or {path}?',
    details: { param: 'max_completion_tokens' },
  });
});

test('the event has the canonical name in param and message', () => {
  const own = new GatewayError('invalid-request', "Invalid '{path}': no.", { path: 'maxTokens' });
  expect(toErrorEvent(own)).toMatchObject({ param: 'maxTokens', message: "Invalid 'maxTokens': no." });
  const named = new GatewayError('invalid-request', 'No.', { param: 'max_tokens', path: 'maxTokens' });
  expect(toErrorEvent(named)).toMatchObject({ param: 'maxTokens', message: 'No.' });
});

test('an error without a path keeps its param', () => {
  const event = {
    type: 'error',
    kind: 'invalid-request',
    message: "Invalid 'stop'.",
    param: 'stop',
  } as const;
  expect(fromErrorEvent(event, { stop: 'stop_sequences' })).toMatchObject({
    message: "Invalid 'stop'.",
    details: { param: 'stop' },
  });
});

test.each([
  ['stop', 'a'],
  ['stop.b[1]', 'a.b[1]'],
  ['stop[0]', 'first'],
  ['stop[0].c', 'first.c'],
  ['stopped', undefined],
  ['x.stop', undefined],
])('the path %s is renamed to %s', (path, renamed) => {
  expect(renamePath(path, { 'stop[0]': 'first', stop: 'a' })).toBe(renamed);
});

test('a table of fields is read in both directions, by the first name of a field and the first field of a name', () => {
  const { names, paths } = formatFields({
    stop: ['end', 'ends'],
    messages: 'prompt',
    others: 'prompt',
    n: 'n',
  });
  expect(names).toEqual({ stop: 'end', messages: 'prompt', others: 'prompt', n: 'n' });
  expect(paths).toEqual({ end: 'stop', ends: 'stop', prompt: 'messages', n: 'n' });
});
