import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Separate from the other tests, because each takes many minutes.
export default defineConfig({
  test: {
    name: 'long',
    root: fileURLToPath(new URL('../..', import.meta.url)),
    globalSetup: ['test/bundle.ts'],
    include: ['test/long/**/*.test.ts'],
    testTimeout: 3_600_000,
    reporters: ['verbose', ['json', { outputFile: 'reports/long.json' }]],
  },
});
