import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { layerOf } from '../layers.ts';
import { scenarios } from './grid/scenarios.ts';
import { isTitled, writtenTests } from './written-tests.ts';

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

/** True if a test calls `expect` or a helper whose name begins with `check`. */
const asserts = (source: string) => /\b(expect|check)\w*/.test(source);

/** The tests of each file that a row names; empty if there is no such file. */
const written = new Map(
  [...new Set([...named.map(([, file]) => file), gridFile])].map(file => {
    const path = join(root, file);
    return [file, existsSync(path) ? writtenTests(readFileSync(path, 'utf8')) : []];
  }),
);
/** The tests that have the title, or that are in a describe that has it. */
const titled = (file: string, title: string) =>
  written.get(file)?.filter(each => isTitled(each, title)) ?? [];

test('each row names a test', () => {
  expect(rows.length).toBeGreaterThan(80);
  expect(rows.filter(row => row.named.length === 0).map(row => row.line)).toEqual([]);
});

describe('a test that the page names', () => {
  test.each(named)('%s %s › %s exists, is in its layer and asserts something', (layer, file, title) => {
    expect(layer).toBe(layerOf(file));
    const tests = titled(file, title);
    expect(tests.length, title).toBeGreaterThan(0);
    for (const { titles, source } of tests) expect(asserts(source), `${titles} asserts`).toBe(true);
  });

  test.each(namedScenarios)('the scenario $title exists and is run', ({ layer, title }) => {
    expect(Object.keys(scenarios)).toContain(title);
    expect(layer).toBe(layerOf(gridFile));
    const grid = titled(gridFile, 'a client of $client and an upstream of $upstream');
    expect(grid.length).toBeGreaterThan(0);
  });
});
