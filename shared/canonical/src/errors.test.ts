import { expect, test } from 'vitest';
import { anotherMayHelp, asUnsayable, fromErrorEvent, GatewayError, toErrorEvent } from './index.ts';

test('a request at fault is at fault everywhere, unless one format alone cannot carry it', () => {
  const fault = new GatewayError('invalid-request', 'No.', { param: 'n' });
  expect(anotherMayHelp(fault)).toBe(false);
  const unsayable = asUnsayable(fault);
  expect(unsayable).toMatchObject({ message: 'No.', details: { param: 'n' } });
  expect(anotherMayHelp(unsayable)).toBe(true);
  expect(anotherMayHelp(toErrorEvent(unsayable))).toBe(true);
  expect(anotherMayHelp(fromErrorEvent(toErrorEvent(unsayable)))).toBe(true);
});

test('what is no fault of the request stays what it is', () => {
  const broken = new GatewayError('internal', 'Broken.');
  expect(asUnsayable(broken)).toBe(broken);
});

test('a request that workers were lost over is given to nobody else', () => {
  expect(anotherMayHelp(new GatewayError('upstream', 'Lost.'))).toBe(true);
  expect(anotherMayHelp(new GatewayError('upstream', 'Lost.', { lostWorkers: true }))).toBe(false);
});
