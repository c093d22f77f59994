import { describe, expect, test } from 'vitest';
import { type Growable, generating, others } from './endpoints.ts';
import { ranked, references } from './references.ts';
import { faultsOf } from './stages.ts';

describe.each(Object.entries(references))('a request in the format %s', (format, scenarios) => {
  test.each(Object.entries(scenarios))('takes no longer for each item of more %s', (_what, grown) => {
    expect(faultsOf(generating[format as keyof typeof generating], grown)).toEqual([]);
  });
});

test.each(Object.entries(ranked))('documents are read once for more %s', (_what, grown) => {
  expect(faultsOf(others.rerank as Growable, grown)).toEqual([]);
});
