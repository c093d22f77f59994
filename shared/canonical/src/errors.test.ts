import { expect, test } from 'vitest';
import { anotherMayHelp, asUnsayable, fromErrorEvent, GatewayError, toErrorEvent } from './index.ts';

test('a request at fault is at fault everywhere, unless one format alone cannot carry it', () => {
  const fault = new GatewayError('invalid-request', 'No.', { param: 'n' });
  expect(anotherMayHelp(fault)).toBe(false);
  const notRepresentable = asUnsayable(fault);
  expect(notRepresentable).toMatchObject({ message: 'No.', details: { param: 'n' } });
  expect(anotherMayHelp(notRepresentable)).toBe(true);
  expect(anotherMayHelp(toErrorEvent(notRepresentable))).toBe(true);
  expect(anotherMayHelp(fromErrorEvent(toErrorEvent(notRepresentable)))).toBe(true);
});

test('what is no fault of the request stays what it is', () => {
  const broken = new GatewayError('internal', 'Broken.');
  expect(asUnsayable(broken)).toBe(broken);
});

test('a request that workers were lost over is given to nobody else', () => {
  expect(anotherMayHelp(new GatewayError('upstream', 'Lost.'))).toBe(true);
  expect(anotherMayHelp(new GatewayError('upstream', 'Lost.', { lostWorkers: true }))).toBe(false);
});
