import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{shared,services,deploy,test}/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    reporters: ['default', ['json', { outputFile: 'reports/vitest.json' }]],
  },
});
