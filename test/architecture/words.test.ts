import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { productSources, root } from './sources.ts';

/** Names of types that the product does not declare, with the field's term for each. */
const types = {
  Fate: 'Outcome',
  Wanted: 'Requested',
  Act: 'AuditEvent',
  Reach: 'Scope',
  Place: 'Slot, Position or Location',
  Way: 'UpstreamConnection',
  Told: 'what it has',
  Asked: 'what it has',
  Made: 'what it has',
};

/** Phrases that people do not read on screens, in the command and in documents, with the field's term for each. */
const phrases = {
  anew: 'again, or Resets at',
  Nobody: 'No owner, No members',
  'Sent again once all failed': 'Retries',
  'Which target is first': 'Routing strategy',
  'Ask a second target after': 'Hedge after',
  'Longest prompt with its answer': 'Context window',
  'Compare with the time before': 'Compare with previous period',
  'What is shown': 'Filters',
  'is like this': 'No matching …',
  'Nothing was done yet': 'No events yet',
  'None of them has a budget': 'No budgets set',
  'Nothing has this name': 'No matches',
};

test('the product declares no type by a word of the house', () => {
  const declared = new RegExp(
    `\\b(?:interface|type|class) (${Object.keys(types).join('|')})\\b(?= *[{=<]| extends| implements)`,
    'g',
  );
  const found = productSources().flatMap(({ path, text }) =>
    [...text.matchAll(declared)].map(
      ([, name]) => `${path}: ${name}, say ${types[name as keyof typeof types]}`,
    ),
  );
  expect(found).toEqual([]);
});

test('people read the terms of the field', () => {
  const sources = productSources().filter(({ path }) =>
    /^(services\/console\/src|services\/control\/src\/cli|shared\/admin-api\/src)\//.test(path),
  );
  const documents = globSync(['docs/**/*.md', 'README.md', 'CONTRIBUTING.md'], { cwd: root }).map(path => ({
    path,
    text: readFileSync(join(root, path), 'utf8'),
  }));
  const found = [...sources, ...documents].flatMap(({ path, text }) =>
    Object.entries(phrases)
      .filter(([phrase]) => new RegExp(`\\b${phrase}\\b`).test(text))
      .map(([phrase, term]) => `${path}: ${phrase}, say ${term}`),
  );
  expect(sources.length).toBeGreaterThan(100);
  expect(documents.length).toBeGreaterThan(30);
  expect(found).toEqual([]);
});
