import { expect, test } from 'vitest';
import { type BodyForm, bodyForm, maxFormBytes } from './body-form.ts';

test.each<[string | Buffer, BodyForm | undefined]>([
  ['data: {}', 'events'],
  ['event: x', 'events'],
  ['id: 1', 'events'],
  ['retry: 1', 'events'],
  [': comment', 'events'],
  ['\n\ndata:', 'events'],
  ['\ufeffdata:', 'events'],
  ['{"a":1}', 'json'],
  [' \r\n[', 'json'],
  ['\ufeff{', 'json'],
  ['<html>', 'other'],
  ['date', 'other'],
  ['Hello', 'other'],
  [Buffer.of(0xff, 0xfb, 0x90), 'other'],
  ['', undefined],
  ['\n', undefined],
  ['dat', undefined],
  ['e', undefined],
  [Buffer.of(0xef, 0xbb), undefined],
  ['\n'.repeat(maxFormBytes), 'other'],
])('the body that begins with %j is %s', (first, form) => {
  expect(bodyForm(Buffer.from(first as string))).toBe(form);
});
