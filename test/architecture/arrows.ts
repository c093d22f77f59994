import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, type Source } from './sources.ts';

/** The imports between the product's files that make it hard to follow. */
export interface Arrows {
  /** Files that import each other, directly or by others; imports of types count. */
  circles: string[][];
  /** Folders of which each imports from the other. */
  mutual: [one: string, other: string][];
}

export function arrowsOf(sources: readonly Source[]): Arrows {
  const imports = importsOf(sources);
  const folders = new Map<string, Set<string>>();
  for (const [path, targets] of imports)
    for (const target of targets) {
      const [from, to] = [dirname(path), dirname(target)];
      if (from !== to) folders.set(from, (folders.get(from) ?? new Set()).add(to));
    }
  return {
    circles: circlesOf(imports),
    mutual: [...folders].flatMap(([one, others]) =>
      [...others]
        .filter(other => one < other && folders.get(other)?.has(one))
        .map((other): [string, string] => [one, other]),
    ),
  };
}

/** Returns the files that each file imports. */
function importsOf(sources: readonly Source[]): Map<string, string[]> {
  const paths = new Set(sources.map(({ path }) => path));
  const entries = entriesOf();
  return new Map(
    sources.map(({ path, imports }) => {
      const targets = imports.map(name =>
        name.startsWith('.') ? join(dirname(path), name) : (entries.get(name) ?? ''),
      );
      return [path, targets.filter(target => paths.has(target))];
    }),
  );
}

/** Returns the file of each entry of the project's packages. */
function entriesOf(): Map<string, string> {
  return new Map(
    globSync('{shared,services,deploy}/*/package.json', { cwd: root }).flatMap(path => {
      const { name, exports = {} } = JSON.parse(readFileSync(join(root, path), 'utf8'));
      return Object.entries<unknown>(exports).flatMap(([entry, file]): [string, string][] =>
        typeof file === 'string' ? [[join(name, entry), join(dirname(path), file)]] : [],
      );
    }),
  );
}

/** Returns the sets of files of which each leads to all others: Tarjan's strongly connected components. */
function circlesOf(imports: ReadonlyMap<string, readonly string[]>): string[][] {
  const places = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): void => {
    const place = places.size;
    places.set(path, place);
    lowest.set(path, place);
    open.push(path);
    for (const target of imports.get(path) ?? []) {
      if (!places.has(target)) visit(target);
      if (open.includes(target))
        lowest.set(path, Math.min(lowest.get(path) as number, lowest.get(target) as number));
    }
    if (lowest.get(path) !== place) return;
    const circle = open.splice(open.indexOf(path));
    if (circle.length > 1) circles.push(circle);
  };
  for (const path of imports.keys()) if (!places.has(path)) visit(path);
  return circles;
}
