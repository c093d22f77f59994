import { expect, test } from 'vitest';
import { anotherMayHelp, asNotRepresentable, fromErrorEvent, GatewayError, toErrorEvent } from './index.ts';

test('an invalid request is not tried elsewhere, unless only one format cannot represent it', () => {
  const invalid = new GatewayError('invalid-request', 'No.', { param: 'n' });
  expect(anotherMayHelp(invalid)).toBe(false);
  const notRepresentable = asNotRepresentable(invalid);
  expect(notRepresentable).toMatchObject({ message: 'No.', details: { param: 'n' } });
  expect(anotherMayHelp(notRepresentable)).toBe(true);
  expect(anotherMayHelp(toErrorEvent(notRepresentable))).toBe(true);
  expect(anotherMayHelp(fromErrorEvent(toErrorEvent(notRepresentable)))).toBe(true);
});

test('an error that is not representable has the field of the previous version too, and is read by it', () => {
  const event = { type: 'error', kind: 'invalid-request', message: 'No.', unsayable: true } as const;
  expect(toErrorEvent(asNotRepresentable(new GatewayError('invalid-request', 'No.')))).toMatchObject(event);
  expect(anotherMayHelp(event)).toBe(true);
  expect(fromErrorEvent(event).details).toEqual({ notRepresentable: true });
});

test('asNotRepresentable returns an internal error unchanged', () => {
  const broken = new GatewayError('internal', 'Broken.');
  expect(asNotRepresentable(broken)).toBe(broken);
});

test('a request over which workers were lost is not tried again', () => {
  expect(anotherMayHelp(new GatewayError('upstream', 'Lost.'))).toBe(true);
  expect(anotherMayHelp(new GatewayError('upstream', 'Lost.', { lostWorkers: true }))).toBe(false);
});
