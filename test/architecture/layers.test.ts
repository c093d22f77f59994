import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesOf, type LayerName, layerOf, layers } from '../layers.ts';
import { root } from './sources.ts';

const names = Object.keys(layers) as LayerName[];
const files = globSync('{bench,deploy,docs,services,shared,test}/**/*.test.ts', { cwd: root })
  .map(path => path.replaceAll('\\', '/'))
  .filter(path => !path.includes('node_modules/'));
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

test('each test file is in one layer, whose patterns match it', () => {
  expect(files.length).toBeGreaterThan(500);
  const found = names.flatMap(name => matches(name).map(path => ({ path, layer: name })));
  const wanted = files.map(path => ({ path, layer: layerOf(path) }));
  const sorted = (list: { path: string; layer: string | undefined }[]) =>
    list.map(({ path, layer }) => `${path}: ${layer}`).sort();
  expect(sorted(found)).toEqual(sorted(wanted));
});

describe('the commands', () => {
  test.each(names.filter(name => name !== 'kubernetes'))('npm run test:%s runs this layer', name => {
    expect(scripts[`test:${name}`]).toMatch(new RegExp(` test --project=${name}\\b`));
  });

  test('npm test runs its layers', () => {
    const run = [...scripts.suite.matchAll(/--project=(\w+)/g)].map(([, name]) => name);
    expect([...new Set(run)]).toEqual(names.filter(name => 'inNpmTest' in layers[name]));
  });
});

const matches = (name: LayerName) =>
  filesOf(name)
    .flatMap(pattern => globSync(pattern, { cwd: root }))
    .map(path => path.replaceAll('\\', '/'))
    .filter(path => !path.includes('node_modules/'));
