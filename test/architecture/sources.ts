import { globSync, readFileSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** A TypeScript file of the product, without tests and their helpers. */
export interface Source {
  /** Relative to the root, with `/`. */
  path: string;
  /** The package's folder: `bus`, `ingress-chat`, `launcher`. */
  pkg: string;
  imports: string[];
  text: string;
}

export function sourceOf(path: string, text: string): Source {
  const imports = [
    ...text.matchAll(/(?:^(?:import|export|\}).* from |^import |\bimport\(\s*)'([^']+)'/gm),
  ].map(match => match[1] as string);
  return { path, pkg: path.split('/')[1] as string, imports, text };
}

/** Every source file of the product: `.ts`, `.tsx` and `.mjs`. */
export function productSources(): Source[] {
  return globSync(['{shared,services,deploy}/**/*.{ts,tsx,mjs}', '*.{ts,mjs}'], {
    cwd: root,
    exclude: name => /^(node_modules|dist|testing|examples|fixtures)$/.test(name),
  })
    .filter(path => !/\.test\.tsx?$/.test(path) && !/(^|[\\/])(node_modules|dist|testing)[\\/]/.test(path))
    .map(path => sourceOf(path.split(sep).join('/'), readFileSync(resolve(root, path), 'utf8')))
    .sort((one, other) => one.path.localeCompare(other.path));
}

const vague = /^(What|How|Whether|Where|Why|Who|Of|As)\b/;

/** Numbers that say how readable the product's sources are. */
export interface Counts {
  files: number;
  folders: number;
  lines: number;
  medianLines: number;
  /** Files of more than 400 lines. */
  long: string[];
  /** Folders that hold one file and nothing else, package roots excepted. */
  lonely: string[];
  docComments: number;
  /** Doc comments that open with What, How, Whether, Where, Why, Who, Of or As. */
  vagueDocComments: number;
}

export function count(sources: readonly Source[]): Counts {
  const lines = sources.map(({ text }) => text.split('\n').length - 1).sort((one, other) => one - other);
  const folders = Map.groupBy(sources, ({ path }) => dirname(path));
  const docs = sources.flatMap(({ text }) =>
    [...text.matchAll(/\/\*\*([\s\S]*?)\*\//g)].map(([, doc]) => (doc as string).replace(/^[\s*]+/, '')),
  );
  return {
    files: sources.length,
    folders: folders.size,
    lines: lines.reduce((sum, count) => sum + count, 0),
    medianLines: lines[Math.floor(lines.length / 2)] as number,
    long: sources.filter(({ text }) => text.split('\n').length - 1 > 400).map(({ path }) => path),
    lonely: [...folders.keys()].filter(folder => isLonely(folder)),
    docComments: docs.length,
    vagueDocComments: docs.filter(doc => vague.test(doc)).length,
  };
}

function isLonely(folder: string): boolean {
  const isPackageRoot = /^(shared|services|deploy)\/[^/]+(\/src)?$|^\.$/.test(folder);
  return !isPackageRoot && globSync('*', { cwd: resolve(root, folder) }).length <= 1;
}

/** Returns the folders of the project's packages that a file imports. */
export function projectImports({ imports }: Source): string[] {
  return imports.flatMap(name => (name.startsWith('@model-gateway/') ? [name.split('/')[1] as string] : []));
}
