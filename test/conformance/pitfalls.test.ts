import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { layerOf } from '../layers.ts';
import { scenarios } from './grid/scenarios.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs/pitfalls.md'), 'utf8');
const scenarioFile = 'test/conformance/grid/scenarios.ts';

/** The rows of the page's tables without their heads. A row names its tests in its last column, each after its layer. */
const rows = page
  .split('\n')
  .filter(line => line.startsWith('| ') && !/^\| (#|what|---)/.test(line))
  .map(line => ({ line, named: [...line.matchAll(/([a-z]+) `(\S+\.(?:ts|json)) › (.+?)`(?=<br>| +\|)/g)] }));
const named = rows.flatMap(row => row.named.map(match => match.slice(1)));

/** The titles of a file's tests and describes: the first arguments of calls that have others, or the names of fixtures. */
function titlesIn(file: string): string[] {
  if (file === scenarioFile) return Object.keys(scenarios);
  const path = join(root, file);
  if (file.endsWith('.json')) return Object.keys(JSON.parse(readFileSync(path, 'utf8')));
  const source = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const quoted = source.matchAll(/\(\s*(?:'((?:\\.|[^'\n])*)'|"([^"\n]*)"|`([^`]*)`),/g);
  return [...quoted].map(([, single, ...others]) => single?.replaceAll("\\'", "'") ?? others.join(''));
}

const placeholder = /%[sdifjo]|\$[\w.]+|\$\{.+?\}/g;

/** True if a title is the written one, or that with the values of a row in place of its placeholders. */
function completes(title: string, written: string): boolean {
  const words = written.split(placeholder);
  // Placeholders alone would match every title.
  if (words.join('').length < 10) return title === written;
  return new RegExp(`^${words.map(RegExp.escape).join('.+')}$`, 's').test(title);
}

test('each row names a test', () => {
  expect(rows.length).toBeGreaterThan(80);
  expect(rows.filter(row => row.named.length === 0).map(row => row.line)).toEqual([]);
});

test.each(named)('a named test exists in its layer: %s %s › %s', (layer = '', file = '', title = '') => {
  const runs =
    file === scenarioFile ? 'test/conformance/grid/grid.test.ts' : file.replace(/\.json$/, '.test.ts');
  expect(layer).toBe(layerOf(runs));
  expect(titlesIn(file).some(written => completes(title, written))).toBe(true);
});
