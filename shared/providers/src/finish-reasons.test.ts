import { describe, expect, test } from 'vitest';
import { reasonLists, reasonMeaning } from './finish-reasons.ts';

test.each(reasonLists)(
  'the reasons of $of have a source, and mean the same in every list',
  ({ source, reasons }) => {
    expect(source).toMatch(/^https:\/\//);
    for (const [reason, meaning] of Object.entries(reasons)) expect(reasonMeaning(reason)).toEqual(meaning);
  },
);

describe('a finish reason', () => {
  test.each([
    ['STOP', 'stop'],
    ['Max_Tokens', 'length'],
    ['content-filter', 'content-filter'],
    [' tool-calls ', 'tool-calls'],
    ['COMPLETE', 'stop'],
    ['complete', 'stop'],
    ['content_filter: RECITATION', 'content-filter'],
    ['function_call_filter: MALFORMED_FUNCTION_CALL', 'other'],
  ])('%j means %s, in whatever spelling', (reason, meaning) => {
    expect(reasonMeaning(reason)).toBe(meaning);
  });

  test.each(['', 'brand_new', 'stopped: for good', '__proto__', 'constructor', `stop${' '.repeat(1e6)}`])(
    'is not known: %#',
    reason => {
      expect(reasonMeaning(reason)).toBeUndefined();
    },
  );
});
