import { defineConfig } from 'vitest/config';

const containers = ['test/{compose,containers}/**/*.test.ts'];

export default defineConfig({
  test: {
    testTimeout: 20_000,
    hookTimeout: 60_000,
    reporters: ['default', ['json', { outputFile: 'reports/vitest.json' }]],
    projects: [
      {
        extends: true,
        test: {
          name: 'suite',
          include: ['{shared,services,deploy,test}/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...containers],
        },
      },
      // After the others and one at a time: whole machines beside them would cost them their time.
      {
        extends: true,
        test: {
          name: 'containers',
          include: containers,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
