/** A set of test files that has a command of its own. */
export interface Layer {
  /** The folders whose test files are in this layer, unless a file's name says otherwise. */
  folders: readonly string[];
  /** True if `npm test` runs it. */
  inNpmTest?: boolean;
  /** True if `npm run test:all` runs it. */
  inTestAll?: boolean;
}

const inNpmTest = true;
const inTestAll = true;

/**
 * The layers of tests. A file is in the layer that its name ends with, as `roles.stack.test.ts` is in `stack`. Any
 * other file, as `roles.test.ts`, is in the layer of its folder.
 */
export const layers = {
  /** No server, no port, no process, no real timer. */
  unit: {
    folders: ['bench', 'deploy', 'services', 'shared', 'test/architecture', 'test/linear', 'test/mutations'],
    inNpmTest,
  },
  /** Services together, most of them in the process of the test: the grid, control, requests, limits. */
  stack: {
    folders: [
      'docs/generators',
      'test/conformance',
      'test/metrics',
      'test/openapi',
      'test/providers',
      'test/requests',
      'test/round-trip',
      'test/routing',
      'test/upgrade',
    ],
    inNpmTest,
  },
  /** One SDK of each vendor, the main flows of the console in a browser, `npm start`, a container. */
  smoke: { folders: [], inNpmTest },
  /** The other SDKs, their versions, and other languages. */
  sdks: { folders: ['test/clients', 'test/clouds', 'test/interop', 'test/snippets'], inTestAll },
  /** The console in a browser. */
  browser: { folders: ['test/browser'], inTestAll },
  /** Whole gateways of several processes. */
  fleet: { folders: ['test/fleet', 'test/import'], inTestAll },
  /** Parts of a gateway that end under load. */
  faults: { folders: ['test/faults'], inTestAll },
  /** Clients that harm others. They measure times, so each file runs alone. */
  hostile: { folders: ['test/hostile'], inTestAll },
  /** `npm start`. */
  launcher: { folders: ['test/launcher'], inTestAll },
  /** Images, compose, and the edge. */
  containers: { folders: ['test/compose', 'test/containers'], inTestAll },
  /** The Helm chart, dashboards and alerts. */
  chart: { folders: ['test/helm', 'test/telemetry'], inTestAll },
  /** Traces at a collector and a store that Go builds. */
  traces: { folders: [] },
  /** Real servers of models, which are installed or built. */
  upstreams: { folders: ['test/upstreams'] },
  /** A real cluster: that of KUBECONFIG. */
  kubernetes: { folders: ['test/kubernetes'] },
} as const satisfies Record<string, Layer>;

export type LayerName = keyof typeof layers;

/** The layer of a test file, by its path in the repository; undefined if it is in none. */
export function layerOf(path: string): LayerName | undefined {
  const named = /\.([a-z]+)\.test\.ts$/.exec(path)?.[1];
  const names = Object.keys(layers) as LayerName[];
  return named
    ? names.find(name => name === named)
    : names.find(name => layers[name].folders.some(folder => path.startsWith(`${folder}/`)));
}

/** The glob patterns of a layer's files. */
export function filesOf(name: LayerName): string[] {
  return [
    `{bench,deploy,docs,services,shared,test}/**/*.${name}.test.ts`,
    ...layers[name].folders.map(folder => `${folder}/**/+([!.]).test.ts`),
  ];
}
