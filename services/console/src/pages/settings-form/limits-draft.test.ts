import { expect, test } from 'vitest';
import { draftOfLimits, limitsOfDraft, noLimits, noRates, repeatedNames } from './limits-draft.ts';

test('limits survive the way through a form', () => {
  const limits = {
    requestsPerMinute: 100,
    concurrency: 4,
    models: { 'gpt-*': { requestsPerMinute: 20 }, 'gpt-5': {} },
  };
  expect(limitsOfDraft(draftOfLimits(limits))).toEqual(limits);
});

test('a form without a limit sets none', () => {
  expect(draftOfLimits(null)).toEqual(noLimits);
  expect(limitsOfDraft(noLimits)).toBeNull();
  expect(limitsOfDraft({ ...noLimits, models: [{ key: 'a', name: ' ', rates: noRates }] })).toBeNull();
});

test('a limit of zero is sent, so that the gateway can refuse it', () => {
  expect(limitsOfDraft({ ...noLimits, concurrency: 0 })).toEqual({ concurrency: 0 });
});

test('a name in two lines is found', () => {
  expect(repeatedNames(['a', 'b', 'a', '', ''])).toEqual(new Set(['a']));
});
