import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pages } from './pages.ts';

const root = join(import.meta.dirname, '..');

test('no page imports another page: what they share is in a folder of its own', () => {
  const folders = pages.map(({ path }) => path.slice(1));
  const folderOf = (path: string) => path.split('/')[0] ?? '';
  const imports = globSync('*/**/*.{ts,tsx}', { cwd: root })
    .filter(path => folderOf(path) !== 'app')
    .flatMap(path => {
      const text = readFileSync(join(root, path), 'utf8');
      const targets = [...text.matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(([, target = '']) =>
        target.startsWith('.') ? join(path, '..', target) : '',
      );
      return targets.map(target => ({ path, target }));
    });
  expect(imports.length).toBeGreaterThan(100);
  expect(
    imports.filter(
      ({ path, target }) => folderOf(path) !== folderOf(target) && folders.includes(folderOf(target)),
    ),
  ).toEqual([]);
});
