import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { page, path } from './page.ts';

test('docs/finish-reasons.md has the reasons and refusals of the code: npm run docs writes them', () => {
  expect(readFileSync(path, 'utf8') === page()).toBe(true);
});
