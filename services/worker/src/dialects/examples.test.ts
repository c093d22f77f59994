import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';

const folders = globSync('*/examples', { cwd: import.meta.dirname });

test('every dialect that reads streams has examples', () => {
  expect(folders.map(folder => folder.split(/[\\/]/)[0]).sort()).toEqual([
    'chat',
    'generate-content',
    'messages',
    'responses',
  ]);
});

test.each(folders)('examples.md in %s lists every file once, with the page that the file follows', folder => {
  const at = new URL(`${folder}/`, import.meta.url);
  const page = readFileSync(new URL('examples.md', at), 'utf8');
  const listed = [...page.matchAll(/^\| `(\S+)` +\| (\S.*?) +\| https:\/\/\S+ +\|$/gm)].map(
    ([, file]) => file,
  );
  const files = globSync('*', { cwd: at }).map(file => basename(file));
  expect(['examples.md', ...listed].sort()).toEqual(files.sort());
});
