import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { RetriedTests } from './test/retried-tests.ts';

/** Tests of one module or service. They share their processes, because loading modules takes longer than most of them. */
const units = ['{shared,services}/**/*.test.ts'];
/** Tests of services together, most of them within the process of the test. They share their processes, too. */
const stack = [
  'test/{bus-users,clients,conformance,ledger,limits,metrics,providers,requests,roles,round-trip,routing,settings}/**/*.test.ts',
];
/** Each starts a whole gateway, or several. */
const fleet = ['test/{fleet,compose,containers}/**/*.test.ts'];
/** They end parts of a gateway under load, for a minute or longer, and are run by `npm run test:faults` alone. */
const faults = [
  'test/faults/kept-store.test.ts',
  'test/fleet/{database-away,kept-cluster,kill-control,kill-load,kill-nats,ledger-adds-up}.test.ts',
];
/** They measure how a gateway answers clients while others keep it busy, and are run by `npm run test:faults` alone. */
const alone = ['test/hostile/**/*.test.ts', 'test/fleet/{clients,fair-share}.test.ts'];
/** It needs a cluster, and is run by `npm run test:kubernetes` alone. */
const kubernetes = 'test/kubernetes/kubernetes.test.ts';
/** Each takes many minutes, and is run by `npm run test:long` alone. */
const long = 'test/long/**/*.test.ts';
/** They need Prometheus, a collector and a minute, and are run by `npm run test:telemetry` alone. */
const telemetry = 'test/telemetry/{prometheus,collector,trace-store}.test.ts';
/** They install servers of others, and are run by `npm run test:upstreams` alone. */
const upstreams = 'test/upstreams/*.test.ts';
/** The tests that `npm test` leaves out. */
const ownCommands = [...faults, ...alone, kubernetes, long, telemetry, upstreams];
const installed = '**/node_modules/**';

/** They take a minute or longer. They start first, so that none runs alone at the end. */
const longest =
  /test\/(browser\/(every-page|playground|playground-formats)|compose\/compose|fleet\/responses|interop\/python|launcher\/stop|load\/realtime|openapi\/schemathesis\/schemathesis|snippets\/snippets)\.test/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}

function rank({ moduleId }: TestSpecification): number {
  return longest.test(moduleId) ? 0 : 1;
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    setupFiles: ['test/wait-longer.ts'],
    // The default of a second is too short on a busy machine.
    expect: { poll: { timeout: 15_000 } },
    // A pause of the machine may break one. Those that passed at the second try are listed at the end.
    retry: 1,
    // Most tests wait for processes and timers more than they compute.
    maxWorkers: 4,
    reporters: ['default', new RetriedTests(), ['json', { outputFile: 'reports/vitest.json' }]],
    projects: [
      {
        extends: true,
        test: { name: 'units', include: units, exclude: [installed], isolate: false },
      },
      {
        extends: true,
        test: { name: 'stack', include: stack, exclude: [installed], isolate: false },
      },
      {
        extends: true,
        test: {
          name: 'suite',
          globalSetup: ['test/bundle.ts', 'test/launcher/template.ts'],
          include: ['{deploy,test}/**/*.test.ts'],
          exclude: [installed, ...stack, ...fleet, ...ownCommands],
        },
      },
      // After the others.
      {
        extends: true,
        test: {
          name: 'fleet',
          globalSetup: ['test/bundle.ts'],
          include: fleet,
          exclude: [installed, ...ownCommands],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          // A first failure may be a loss that happens seldom.
          retry: 0,
          globalSetup: ['test/bundle.ts'],
          include: faults,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          // A first failure may be a loss that happens seldom.
          retry: 0,
          globalSetup: ['test/bundle.ts'],
          include: alone,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
