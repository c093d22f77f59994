import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type LayerName, layerOf, layers } from '../layers.ts';

/** The files that import each file, by their paths in the checkout. */
export type Importers = Map<string, string[]>;

const name = /^@model-gateway\/([^/]+)(\/.+)?$/;

/** Reads the imports of every file of a checkout. */
export function readImporters(checkout: string): Importers {
  const files = globSync('{deploy,services,shared,test}/**/*.{ts,tsx,mjs}', {
    cwd: checkout,
    exclude: folder => /^(node_modules|dist)$/.test(folder),
  });
  const packages = readPackages(checkout);
  const importers: Importers = new Map();
  for (const file of files) {
    const text = readFileSync(join(checkout, file), 'utf8');
    for (const [, imported = ''] of text.matchAll(/(?:from|import|import\(|URL\()\s*'([^']+)'/g)) {
      const found = resolveImport(file, imported, packages);
      if (found) importers.set(found, [...(importers.get(found) ?? []), file]);
    }
  }
  return importers;
}

/** Each package's folder and exports, by its name without the scope. */
type Packages = Map<string, { folder: string; exports: Record<string, string> }>;

function readPackages(checkout: string): Packages {
  const manifests = globSync('{deploy/*,services/*,shared/*}/package.json', { cwd: checkout });
  return new Map(
    manifests.map(manifest => {
      const { name: full, exports = {} } = JSON.parse(readFileSync(join(checkout, manifest), 'utf8'));
      return [name.exec(full)?.[1] ?? full, { folder: dirname(manifest), exports }];
    }),
  );
}

function resolveImport(file: string, imported: string, packages: Packages): string | undefined {
  if (imported.startsWith('.')) return join(dirname(file), imported);
  const [, of = '', subpath = ''] = name.exec(imported) ?? [];
  const found = packages.get(of);
  const target = found?.exports[`.${subpath}`];
  return found && target && join(found.folder, target);
}

/**
 * The test files that `npm test` runs and that import a file, directly or through others: those that are the fewest imports away
 * first, and of these the ones of the quickest layer.
 */
export function testsOf(changed: string, importers: Importers): string[] {
  const distance = new Map([[changed, 0]]);
  for (const [file, steps] of distance)
    for (const importer of importers.get(file) ?? [])
      if (!distance.has(importer)) distance.set(importer, steps + 1);
  const order = Object.keys(layers);
  const rank = (file: string) => order.indexOf(layerOf(file) as LayerName);
  return [...distance.keys()]
    .filter(file => file.endsWith('.test.ts') && inNpmTest(layerOf(file)))
    .toSorted(
      (one, other) =>
        (distance.get(one) as number) - (distance.get(other) as number) || rank(one) - rank(other),
    );
}

const inNpmTest = (layer: LayerName | undefined) => layer !== undefined && 'inNpmTest' in layers[layer];
