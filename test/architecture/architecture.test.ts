import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allowed } from './permissions.ts';
import { count, productSources, projectImports, root, type Source } from './sources.ts';
import { usesSystemTime } from './system-time.ts';

/** Files that assign function literals to properties once, when a process starts. */
const setUp = new Set([
  'shared/access/src/access.ts',
  'shared/ingress/src/deps.ts',
  'shared/ingress/src/count-failures.ts',
  'shared/ingress/src/measure-calls.ts',
  'shared/ingress/src/measure-limiter.ts',
  'shared/ingress/src/shared-health.ts',
  'services/worker/src/measure-calls.ts',
]);

/** Libraries that only one package may use. */
const owners: Record<string, string[]> = {
  nats: ['bus', 'store'],
  '@nats-io/jetstream': ['bus', 'store'],
  '@nats-io/kv': ['bus'],
  ws: ['ingress', 'simulator', 'worker'],
  undici: ['worker'],
  'drizzle-orm': ['control'],
  pg: ['control'],
  'openid-client': ['control'],
  '@electric-sql/pglite': ['control'],
};

const product = productSources();
const packages = product.filter(({ path }) => /^(shared|services)\/[^/]+\/src\//.test(path));

function violations(files: Source[]): string[] {
  return files.flatMap(source => [
    ...projectImports(source)
      .filter(name => name !== source.pkg && !allowed(source.pkg).includes(name))
      .map(name => `${source.path} imports ${name}`),
    ...source.imports
      .filter(name => owners[name] && !owners[name].includes(source.pkg))
      .map(name => `${source.path} imports ${name}, which belongs to ${owners[name]}`),
    ...source.imports
      .filter(name => name.startsWith('.') && leavesPackage(source.path, name))
      .map(name => `${source.path} reaches into another package by ${name}`),
    ...(mixesLanguages(source)
      ? [`${source.path} imports both a wire format and the canonical language`]
      : []),
    ...(source.text.includes('process.env') && !mayReadEnvironment.has(source.path)
      ? [`${source.path} reads process.env`]
      : []),
  ]);
}

/**
 * Settings are read in one place; a worker also resolves the `{env}` references of the catalog, and the command those of a
 * configuration that it imports.
 */
const mayReadEnvironment = new Set([
  'shared/service/src/config.ts',
  'services/worker/src/credentials.ts',
  'services/control/src/cli/main.ts',
]);

function leavesPackage(path: string, name: string): boolean {
  const home = path.split('/').slice(0, 2).join('/');
  return !relative(root, resolve(root, dirname(path), name))
    .split(sep)
    .join('/')
    .startsWith(`${home}/`);
}

/** The files of formats that write requests to upstreams, and read their answers. */
const ofUpstreams =
  /^shared\/formats\/src\/(?!client\/|upstream\/previous-version)(?:upstream\/|.*\/(?!parse|render|endpoint))/;

/** Matches an error that an encoder writes by itself, or that names a field in its message. */
const namesField = /\bparam:|'invalid-request'|\b(?:Invalid|Unsupported)(?: value for)? '(?!\{path\})/;

/** Files that may speak a wire format and the canonical language: its translators, its tables of both, and a small format's one file. */
const translates =
  /^shared\/formats\/src\/[a-z-]+\.ts$|\/(parse|render|encode|decode|finish|usage)(-[a-z-]+)?\.ts$/;

/** The files that declare the formats' own fields, and import nothing canonical but the list of formats. */
const vocabulary = new Set(
  readFileSync(resolve(root, 'shared/formats/src/index.ts'), 'utf8')
    .matchAll(/'\.\/([^']+\/[^']+)'/g)
    .map(([, path]) => `shared/formats/src/${path}`),
);

/** True if a file outside parse, render, encode and decode imports both languages. */
function mixesLanguages({ path, imports }: Source): boolean {
  const format = imports.some(
    name => name === '@model-gateway/formats' || vocabulary.has(join(dirname(path), name)),
  );
  return format && imports.includes('@model-gateway/canonical') && !translates.test(path);
}

const projectPackages = [...new Set(packages.map(({ pkg }) => `@model-gateway/${pkg}`))];

/** The folder of the package that declares what a file imports. The build has the tools that make the console's pages. */
function packageOf(path: string): string {
  return /^services\/console\/[^/]+$/.test(path) ? 'deploy/build' : path.split('/').slice(0, 2).join('/');
}

/** The names of the packages that a file imports, requires or looks up. */
function packagesIn({ imports, text }: Source): string[] {
  const required =
    /(?:\brequire|\bcreateRequire\(import\.meta\.url\)(?:\.resolve)?|\bimport\.meta\.resolve)\('([^']+)'/g;
  return [...imports, ...text.matchAll(required).map(([, name]) => name as string)]
    .filter(name => !name.startsWith('.') && !name.startsWith('node:'))
    .map(name =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    );
}

describe('the packages', () => {
  test('every package imports and uses only what it may', () => {
    expect(violations(packages)).toEqual([]);
  });

  test("a dialect reads no other format's fields, and does not ask for the client's format", () => {
    const dialects = product.filter(({ path }) => ofUpstreams.test(path));
    expect(dialects.length).toBeGreaterThan(100);
    expect(dialects.filter(({ text }) => text.includes('envelope.format')).map(({ path }) => path)).toEqual(
      [],
    );
    const foreign = dialects.flatMap(({ path, text }) => {
      const own = basename(dirname(path));
      const read = [...text.matchAll(/extensions\?\.(?:\[)?'?([a-z-]+)|own\?\.format === '([a-z-]+)'/g)];
      return read
        .map(([, extension, tool]) => extension ?? tool)
        .filter(format => format !== own)
        .map(format => `${path} reads fields of ${format}`);
    });
    expect(foreign).toEqual([]);
  });

  test('a dialect refuses a field by its canonical path, and leaves its name to the ingress', () => {
    const encoders = product.filter(({ path }) =>
      /^shared\/formats\/src\/.*\bencode(-[a-z-]+)?\.ts$/.test(path),
    );
    expect(encoders.length).toBeGreaterThan(20);
    const named = encoders.filter(({ text }) => namesField.test(text));
    expect(named.map(({ path }) => path)).toEqual([]);
  });

  test('every imported package is a declared dependency', () => {
    const declared = new Map(
      globSync('{shared,services,deploy}/*/package.json', { cwd: root }).map(path => {
        const { dependencies = {} } = JSON.parse(readFileSync(resolve(root, path), 'utf8'));
        return [dirname(path), Object.keys(dependencies)];
      }),
    );
    const undeclared = product
      .filter(({ path }) => /^(shared|services|deploy)\//.test(path))
      .flatMap(source => {
        // What has no package of its own runs from the image, by the packages of the services.
        const may = declared.get(packageOf(source.path)) ?? projectPackages;
        return packagesIn(source)
          .filter(name => !may.includes(name))
          .map(name => `${source.path}: ${name}`);
      });
    expect(undeclared).toEqual([]);
  });

  // V8 allocates such a function in the old generation, where it keeps all that it uses until the next full collection.
  test('code that runs for each request assigns no function literal to a property', () => {
    const once = /^(shared\/(service|catalog|store)|services\/(control|console|simulator)|deploy)\//;
    const found = product
      .filter(({ path }) => path.endsWith('.ts') && !once.test(path) && !setUp.has(path))
      .flatMap(({ path, text }) =>
        [
          ...text.matchAll(/^.*[\w)\]]\.#?\w+ (?:\?\?)?=\s+(?:async )?(?:\([^()]*\)|\w+)(?:: [^=]+)? =>/gm),
        ].map(([line]) => `${path}: ${line.trim()}`),
      );
    expect(found).toEqual([]);
  });

  test('what limits, rests, retries or expires takes its time from a clock', () => {
    expect(product.filter(usesSystemTime).map(({ path }) => path)).toEqual([]);
  });

  test('messages and changes of connections to NATS are read where exceptions end nothing', () => {
    const unguarded = /\.(?:calls|state|connection|#connection)\.subscribe\(|for await \([^)]*\.status\(\)/;
    const files = product.filter(
      ({ path, text }) => unguarded.test(text) && path !== 'shared/bus/src/faults.ts',
    );
    expect(files.map(({ path }) => path)).toEqual([]);
  });

  test('files and folders have a readable size', () => {
    const { medianLines, long, lonely, docComments, vagueDocComments } = count(product);
    expect(medianLines).toBeGreaterThanOrEqual(45);
    expect(medianLines).toBeLessThanOrEqual(110);
    expect(long).toEqual([]);
    expect(lonely).toEqual([]);
    expect(vagueDocComments / docComments).toBeLessThanOrEqual(0.05);
  });

  test('no service imports a service, and otherwise only the launcher does', () => {
    const services = new Set(globSync('services/*', { cwd: root }).map(path => basename(path)));
    const found = product.filter(
      s =>
        !s.path.startsWith('deploy/launcher/') &&
        projectImports(s).some(name => services.has(name) && name !== s.pkg),
    );
    expect(found.map(s => s.path)).toEqual([]);
  });

  test('a service is a main.ts and a service.ts that any process can start', () => {
    for (const dir of globSync('services/*', { cwd: root })) {
      const files = globSync('src/{main,service}.ts', { cwd: resolve(root, dir) }).map(path =>
        basename(path),
      );
      expect({ dir, files: files.sort() }).toEqual({ dir, files: ['main.ts', 'service.ts'] });
    }
  });

  test.each([
    ['an operation', 'shared/canonical/src/*/answer.ts', ['answer.ts', 'request.ts']],
    ['an endpoint', 'shared/formats/src/*/endpoint.ts', ['endpoint.ts', 'parse.ts', 'render.ts']],
    ['a dialect', 'shared/formats/src/*/dialect.ts', ['decode.ts', 'dialect.ts', 'encode.ts']],
  ])('%s is a folder with the same file names each time', (_what, pattern, names) => {
    const folders = globSync(pattern, { cwd: root, exclude: ['**/{client,upstream}'] }).map(path =>
      dirname(path),
    );
    expect(folders.length).toBeGreaterThan(0);
    for (const folder of folders) {
      const files = globSync('*.ts', { cwd: resolve(root, folder) });
      expect({ folder, files: names.filter(name => files.includes(name)) }).toEqual({ folder, files: names });
    }
  });
});
