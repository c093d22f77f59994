import { expect, test } from 'vitest';
import { copyLine } from './copy-line.ts';

test('writes each type as PostgreSQL reads it', () => {
  const at = new Date('2026-01-02T03:04:05.678Z');
  expect(copyLine(['a', 7, 0.5, true, null, undefined, at, { b: [1] }])).toBe(
    'a\t7\t0.5\ttrue\t\\N\t\\N\t2026-01-02T03:04:05.678Z\t{"b":[1]}\n',
  );
});

test('escapes what has a meaning in the format', () => {
  expect(copyLine(['', '\\N', 'a\tb\r\nc', { d: '\\"\n' }])).toBe(
    '\t\\\\N\ta\\tb\\r\\nc\t{"d":"\\\\\\\\\\\\"\\\\n"}\n',
  );
});
