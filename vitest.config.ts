import { defineConfig } from 'vitest/config';

const fleet = ['test/fleet/**/*.test.ts'];
const hostile = ['test/hostile/**/*.test.ts'];
const containers = ['test/{compose,containers}/**/*.test.ts'];
/** It needs a cluster, and is run by `npm run test:kubernetes` alone. */
const kubernetes = 'test/kubernetes/kubernetes.test.ts';

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Most tests wait for processes and timers more than they compute.
    maxWorkers: 4,
    reporters: ['default', ['json', { outputFile: 'reports/vitest.json' }]],
    projects: [
      {
        extends: true,
        test: {
          name: 'suite',
          include: ['{shared,services,deploy,test}/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...fleet, ...hostile, ...containers, kubernetes],
        },
      },
      // After the others, and few at a time: each starts a whole gateway, or several.
      {
        extends: true,
        test: { name: 'fleet', include: fleet, maxWorkers: 2, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: {
          name: 'containers',
          include: containers,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: { name: 'hostile', include: hostile, fileParallelism: false, sequence: { groupOrder: 3 } },
      },
    ],
  },
});
