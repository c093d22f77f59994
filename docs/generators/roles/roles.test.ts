import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { page, path } from './page.ts';

test('docs/roles.md has the permissions of the code: npm run docs writes them', () => {
  expect(readFileSync(path, 'utf8') === page()).toBe(true);
});
