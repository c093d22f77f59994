import { sseEvent } from '@model-gateway/sse';
import { expect, test } from 'vitest';
import { EventsAfter } from './render-events.ts';

const event = (number: number, more = '') =>
  sseEvent(`{"type":"response.in_progress","sequence_number":${number}${more}}`, 'response.in_progress');
const begun = (size: number) =>
  event(0, `,"response":{"id":"resp_1","object":"response","instructions":"${'x'.repeat(size)}"}`);

test('a follower holds the event that is not complete, and no large one after that', () => {
  const events = new EventsAfter(-1);
  const first = begun(500_000);
  expect(events.push(Buffer.from(first.slice(0, 300_000)))).toBe('');
  expect(events.held).toBe(300_000);
  expect(events.push(Buffer.from(first.slice(300_000)))).toBe(first);
  expect(events.held).toBeLessThan(1_000);
  expect(events.push(Buffer.from(event(1) + event(2, ',"metadata":{"sequence_number":"x"}')))).toContain(
    ':2',
  );
  const failed = events.fail('It was lost.');
  expect(failed).toMatch(
    /"sequence_number":3[\s\S]*It was lost[\s\S]*"sequence_number":4[\s\S]*"id":"resp_1"/,
  );
});

test('a client that has more events than are stored gets the whole last response', () => {
  const events = new EventsAfter(9);
  const last = begun(100_000);
  expect(events.push(Buffer.from(last + sseEvent('[DONE]')))).toBe('');
  expect(events.end()).toBe(last);
});
