import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { expect, test } from 'vitest';
import { generated } from './generated.ts';

test.each(generated().map(({ path, text }) => ({ name: relative(process.cwd(), path), path, text })))(
  '$name has the permissions that the code needs: npm run docs writes them',
  ({ path, text }) => {
    expect(readFileSync(path, 'utf8') === text).toBe(true);
  },
);
