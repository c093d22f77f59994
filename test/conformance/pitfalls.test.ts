import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { layerOf } from '../layers.ts';
import { scenarios } from './grid/scenarios.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs/pitfalls.md'), 'utf8');
const scenarioFile = 'test/conformance/grid/scenarios.ts';
const gridFile = 'test/conformance/grid/grid.test.ts';

/** The rows of the page's tables without their heads. A row names its tests in its last column, each after its layer. */
const rows = page
  .split('\n')
  .filter(line => line.startsWith('| ') && !/^\| (#|what|---)/.test(line))
  .map(line => ({ line, named: [...line.matchAll(/([a-z]+) `(\S+\.ts) › (.+?)`(?=<br>| +\|)/g)] }));
const cited = rows.flatMap(row =>
  row.named.map(([, layer = '', file = '', title = '']) => ({ layer, file, title })),
);

const named = [...new Set(cited.map(({ layer, file, title }) => `${layer} › ${file} › ${title}`))]
  .map(name => name.split(' › ') as [layer: string, file: string, title: string])
  .filter(([, file]) => file !== scenarioFile);
const namedScenarios = cited.filter(({ file }) => file === scenarioFile);

interface Listed {
  /** The titles of its describes, and its own. */
  titles: string[];
  /** The line of the file at which it begins. */
  line: number;
}

const folder = mkdtempSync(join(tmpdir(), 'pitfalls-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Lists the tests of files, without those that are skipped or still to be written. */
async function list(files: Iterable<string>, ...flags: string[]): Promise<Map<string, Listed[]>> {
  const output = join(folder, `${flags.length}.json`);
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'list', `--json=${output}`, '--reporter=default', ...flags, ...files];
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST')));
  await promisify(execFile)(process.execPath, args, { cwd: root, env });
  const tests: { file: string; name: string; location?: { line: number } }[] = JSON.parse(
    readFileSync(output, 'utf8'),
  );
  const listed = tests.map(({ file, name, location }) => ({
    file: relative(root, file).replaceAll('\\', '/'),
    titles: name.split(' > '),
    line: location?.line ?? 0,
  }));
  return Map.groupBy(listed, ({ file }) => file);
}

/** The tests that have the title, or that are in a describe that has it. */
const titled = (tests: Listed[] | undefined, title: string) =>
  tests?.filter(({ titles }) => titles.includes(title)) ?? [];

/** The source of a test, from its line to the closing bracket with the same indentation. */
function sourceOf(file: string, { line }: Listed): string {
  const [first = '', ...rest] = readFileSync(join(root, file), 'utf8')
    .split('\n')
    .slice(line - 1);
  const end = new RegExp(`^${/^ */.exec(first)?.[0]}[})].*[^{(]$`);
  return [first, ...rest.slice(0, first.endsWith(';') ? 0 : rest.findIndex(each => end.test(each)))].join(
    '\n',
  );
}

/** True if a test calls `expect` or a helper whose name begins with `check`. */
const asserts = (source: string) => /\b(expect|check)\w*/.test(source);

/** The tests with titles as in the source, with placeholders for the values of a table. */
let written: Map<string, Listed[]>;
/** The tests with complete titles, of files whose named tests have a title that a table completes. */
let complete: Map<string, Listed[]>;

beforeAll(async () => {
  written = await list(new Set([...named.map(([, file]) => file), gridFile]));
  const others = new Set(
    named.filter(([, file, title]) => titled(written.get(file), title).length === 0).map(([, file]) => file),
  );
  // Real collection imports the files, which start gateways in test/: rows of those tables are named by the
  // title in the source.
  const quick = [...others].filter(file => !file.startsWith('test/'));
  complete = quick.length > 0 ? await list(quick, '--no-static-parse') : new Map();
});

test('each row names a test', () => {
  expect(rows.length).toBeGreaterThan(80);
  expect(rows.filter(row => row.named.length === 0).map(row => row.line)).toEqual([]);
});

describe('a test that the page names', () => {
  test.each(named)('%s %s › %s exists, is in its layer and asserts something', (layer, file, title) => {
    expect(layer).toBe(layerOf(file));
    expect(written.has(file), `${file} has tests that are not skipped`).toBe(true);
    const tests = titled(written.get(file), title);
    expect([...tests, ...titled(complete.get(file), title)].length, title).toBeGreaterThan(0);
    for (const each of tests) expect(asserts(sourceOf(file, each)), `${each.titles} asserts`).toBe(true);
  });

  test.each(namedScenarios)('the scenario $title exists and is run', ({ layer, title }) => {
    expect(Object.keys(scenarios)).toContain(title);
    expect(layer).toBe(layerOf(gridFile));
    const grid = titled(written.get(gridFile), 'a client of $client and an upstream of $upstream');
    expect(grid.length).toBeGreaterThan(0);
  });
});

test('sourceOf returns the source of one test', () => {
  const sources =
    written
      .get('test/conformance/rows.test.ts')
      ?.map(each => sourceOf('test/conformance/rows.test.ts', each)) ?? [];
  expect(sources.length).toBeGreaterThan(10);
  for (const source of sources) expect(source.match(/^ {0,2}(test\b|\]\)\()/gm)).toHaveLength(1);
});
