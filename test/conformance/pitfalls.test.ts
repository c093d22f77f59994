import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/pitfalls.md', root), 'utf8');

/** The rows of the page's tables, those of heads aside; a row names its tests in its last column. */
const rows = page
  .split('\n')
  .filter(line => line.startsWith('| ') && !/^\| (#|what|---)/.test(line))
  .map(line => ({ line, named: [...line.matchAll(/`(\S+\.ts) › (.+?)`(?=<br>| +\|)/g)] }));

const named = [...new Set(rows.flatMap(row => row.named.map(([, file, title]) => `${file} › ${title}`)))];

/** The title as it is written in the source: in quotes and as an argument or a row of a table of tests, or as a scenario. */
function isTitle(source: string, title: string, file: string): boolean {
  if (file.endsWith('/scenarios.ts')) return new RegExp(`^  '?${title}'?: `, 'm').test(source);
  return ["'", '"', '`'].some(quote => source.includes(`${quote}${title}${quote},`));
}

test('each row names a test', () => {
  expect(rows.length).toBeGreaterThan(80);
  expect(rows.filter(row => row.named.length === 0).map(row => row.line)).toEqual([]);
});

test.each(named)('%s is there', name => {
  const [file = '', title = ''] = name.split(' › ');
  expect(existsSync(new URL(file, root)), file).toBe(true);
  expect(isTitle(readFileSync(new URL(file, root), 'utf8'), title, file), title).toBe(true);
});
