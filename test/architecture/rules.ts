import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { arrowsOf } from './arrows.ts';
import { importsAbove } from './permissions.ts';
import { count, projectImports, root, type Source } from './sources.ts';
import { usesSystemTime } from './system-time.ts';

/** A rule for the product's sources. */
export interface Rule {
  /** Matches the paths of the files that it is about. */
  about: RegExp;
  /** Returns what breaks it in these files, a line for each. */
  faults(files: readonly Source[]): string[];
}

/** Returns what breaks a rule. */
export function faultsOf({ about, faults }: Rule, files: readonly Source[]): string[] {
  return faults(files.filter(({ path }) => about.test(path)));
}

/** Returns a rule for each file by itself. `found` names what breaks it. */
function each(about: RegExp, found: (source: Source) => string[]): Rule {
  return {
    about,
    faults: files => files.flatMap(source => found(source).map(fault => `${source.path} ${fault}`)),
  };
}

const product = /./;
const packages = /^(shared|services)\/[^/]+\/src\//;

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

/**
 * Settings are read in one place; a worker also resolves the `{env}` references of the catalog, and the command those of a
 * configuration that it imports.
 */
const mayReadEnvironment =
  /^(?:shared\/service\/src\/config|services\/worker\/src\/credentials|services\/control\/src\/cli\/main)\.ts$/;

/** The files of formats that write requests to upstreams, and read their answers. */
const dialects = /^shared\/formats\/src\/(?!client\/)(?:[a-z-]+\/)?(?!parse|render|endpoint)[^/]+$/;

/** Matches a read of fields that only one format has, which it names. */
const ownFields = /extensions\?\.(?:\[)?'?([a-z-]+)|own\?\.format === '([a-z-]+)'/g;

/** Matches an error that an encoder writes by itself, or that names a field in its message. */
const namesField = /\bparam:|'invalid-request'|\b(?:Invalid|Unsupported)(?: value for)? '(?!\{path\})/;

/** Files that may speak a wire format and the canonical language: its translators, its tables of both, and a small format's one file. */
const translates =
  /^shared\/formats\/src\/[a-z-]+\.ts$|\/(endpoint|parse|render|dialect|encode|write|decode|finish|usage)(-[a-z-]+)?\.ts$/;

/** The files that declare the formats' own fields, and import nothing canonical but the list of formats. */
const vocabulary = new Set(
  readFileSync(resolve(root, 'shared/formats/src/index.ts'), 'utf8')
    .matchAll(/'\.\/((?!values\/)[^']+\/[^']+)'/g)
    .map(([, path]) => `shared/formats/src/${path}`),
);

function isVocabulary(path: string): boolean {
  return vocabulary.has(path) || /^shared\/formats\/src\/[a-z-]+\/types\.ts$/.test(path);
}

/** Files that assign function literals to properties once, when a process starts. */
const setUp = new Set([
  'shared/access/src/access.ts',
  'shared/ingress/src/process/deps.ts',
  'shared/ingress/src/health/target-health.ts',
  'shared/ingress/src/health/shared-health.ts',
  'services/worker/src/service.ts',
]);
const assignedFunction = /^.*[\w)\]]\.#?\w+ (?:\?\?)?=\s+(?:async )?(?:\([^()]*\)|\w+)(?:: [^=]+)? =>.*$/gm;

const projectPackages = globSync('{shared,services}/*/package.json', { cwd: root }).map(
  path => `@model-gateway/${path.split(/[\\/]/)[1]}`,
);
const declared = new Map<string, string[]>(
  globSync('{shared,services,deploy}/*/package.json', { cwd: root }).map(path => {
    const { dependencies = {} } = JSON.parse(readFileSync(resolve(root, path), 'utf8'));
    return [dirname(path), Object.keys(dependencies)];
  }),
);

/** The folder of the package that a file is in. */
function homeOf(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}

/** The folder of the package that declares what a file imports. The build has the tools that make the console's pages. */
function packageOf(path: string): string {
  return /^services\/console\/[^/]+$/.test(path) ? 'deploy/build' : homeOf(path);
}

/** The names of the packages that a file imports, requires or looks up. */
function packagesIn({ imports, text }: Source): string[] {
  const required =
    /(?:\brequire|\bcreateRequire\(import\.meta\.url\)(?:\.resolve)?|\bimport\.meta\.resolve)\('([^']+)'/g;
  return [...imports, ...text.matchAll(required).map(([, name]) => name as string)]
    .filter(name => !name.startsWith('.') && !/^(?:node:|#)/.test(name))
    .map(name =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    );
}

/** Returns a rule for folders with a file of this name: each has the others, too. */
function besides(folder: string, name: string, others: readonly string[]): Rule {
  return {
    about: new RegExp(`^${folder}/[^/]+$`),
    faults(files) {
      const paths = new Set(files.map(({ path }) => path));
      const folders = [...paths].filter(path => path.endsWith(`/${name}`)).map(path => dirname(path));
      return folders.flatMap(folder =>
        others.filter(other => !paths.has(`${folder}/${other}`)).map(other => `${folder} has no ${other}`),
      );
    },
  };
}

const formatFolder = 'shared/formats/src/(?!client/|upstream/)[^/]+';

/** Every rule, by a sentence that says it. */
export const rules = {
  'a package imports only what it may': each(packages, source =>
    importsAbove(source).map(name => `imports ${name}`),
  ),
  'a library that belongs to packages is used by no other': each(packages, source =>
    packagesIn(source)
      .filter(name => owners[name] && !owners[name].includes(source.pkg))
      .map(name => `imports ${name}, which belongs to ${owners[name]}`),
  ),
  'a relative import stays in its package': each(packages, ({ path, imports }) =>
    imports
      .filter(name => name.startsWith('.'))
      .filter(name => homeOf(join(dirname(path), name)) !== homeOf(path))
      .map(name => `reaches into another package by ${name}`),
  ),
  'only translators know a wire format and the canonical language': each(packages, ({ path, imports }) => {
    const format = imports.some(
      name => name === '@model-gateway/formats' || isVocabulary(join(dirname(path), name)),
    );
    const mixes = format && imports.includes('@model-gateway/canonical') && !translates.test(path);
    return mixes ? ['imports both a wire format and the canonical language'] : [];
  }),
  'settings are read in one place': each(packages, ({ path, text }) =>
    text.includes('process.env') && !mayReadEnvironment.test(path) ? ['reads process.env'] : [],
  ),
  "a dialect does not ask for the client's format": each(dialects, ({ text }) =>
    text.includes('envelope.format') ? ['reads envelope.format'] : [],
  ),
  "a dialect reads no other format's fields": each(dialects, ({ path, text }) => {
    const own = path.split('/')[3]?.replace(/\.ts$/, '');
    return [...text.matchAll(ownFields)]
      .map(([, extension, tool]) => extension ?? tool)
      .filter(format => format !== own)
      .map(format => `reads fields of ${format}`);
  }),
  'a dialect refuses a field by its canonical path, and leaves its name to the ingress': each(
    /^shared\/formats\/src\/.*(?:(?<!\/upstream)\/dialect|\b(?:encode|write)(-[a-z-]+)?)\.ts$/,
    ({ text }) => (namesField.test(text) ? ['names a field'] : []),
  ),
  'every imported package is a declared dependency': each(/^(shared|services|deploy)\//, source => {
    // What has no package of its own runs from the image, by the packages of the services.
    const may = declared.get(packageOf(source.path)) ?? projectPackages;
    return packagesIn(source)
      .filter(name => !may.includes(name))
      .map(name => `imports ${name}, which its package does not declare`);
  }),
  // V8 allocates such a function in the old generation, where it keeps all that it uses until the next full collection.
  'code that runs for each request assigns no function literal to a property': each(
    /^(?!(?:shared\/(?:service|catalog|store)|services\/(?:control|console|simulator)|deploy)\/).*\.ts$/,
    ({ path, text }) =>
      setUp.has(path) ? [] : [...text.matchAll(assignedFunction)].map(([line]) => `has ${line.trim()}`),
  ),
  'what limits, rests, retries or expires takes its time from a clock': each(product, source =>
    usesSystemTime(source) ? ["uses the system's time"] : [],
  ),
  'messages and changes of connections to NATS are read where exceptions end nothing': each(
    /^(?!shared\/bus\/src\/faults\.ts)/,
    ({ text }) =>
      /\.(?:calls|state|connection|#connection)\.subscribe\(|for await \([^)]*\.status\(\)/.test(text)
        ? ['reads them itself']
        : [],
  ),
  'no service imports a service, and otherwise only the launcher does': {
    about: /^(?!deploy\/launcher\/)/,
    faults(files) {
      const services = new Set(
        files.filter(({ path }) => path.startsWith('services/')).map(({ pkg }) => pkg),
      );
      return files.flatMap(source =>
        projectImports(source)
          .filter(name => services.has(name) && name !== source.pkg)
          .map(name => `${source.path} imports ${name}`),
      );
    },
  },
  'no files import each other in a circle': {
    about: product,
    faults: files => arrowsOf(files).circles.map(circle => `a circle: ${circle.join(', ')}`),
  },
  'a service is a main.ts and a service.ts that any process can start': {
    about: /^services\//,
    faults(files) {
      const paths = new Set(files.map(({ path }) => path));
      return [...new Set(files.map(({ pkg }) => pkg))].flatMap(pkg =>
        ['main.ts', 'service.ts']
          .filter(name => !paths.has(`services/${pkg}/src/${name}`))
          .map(name => `${pkg} has no ${name}`),
      );
    },
  },
  'an error of the kind overloaded is made with its reason': each(product, ({ path, text }) =>
    path !== 'shared/canonical/src/errors.ts' && /new GatewayError\(\s*'overloaded'/.test(text)
      ? ['makes it by new GatewayError, in place of overloaded()']
      : [],
  ),
  'a parser has a renderer': besides(formatFolder, 'parse.ts', ['render.ts']),
  'an encoder has a dialect and a decoder': besides(formatFolder, 'encode.ts', ['dialect.ts', 'decode.ts']),
  'a folder holds more than one file': {
    about: product,
    faults: files => count(files).lonely.map(folder => `${folder} holds one`),
  },
  'the median file has 45 to 110 lines': {
    about: product,
    faults(files) {
      const { medianLines } = count(files);
      return medianLines >= 45 && medianLines <= 110 ? [] : [`it has ${medianLines}`];
    },
  },
  'a doc comment opens with its subject': {
    about: product,
    faults(files) {
      const { docComments, vagueDocComments } = count(files);
      return vagueDocComments <= 0.05 * docComments ? [] : [`${vagueDocComments} of ${docComments} do not`];
    },
  },
} satisfies Record<string, Rule>;
