import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Separate from the other tests, because it installs and builds the servers of others.
export default defineConfig({
  test: {
    name: 'upstreams',
    root: fileURLToPath(new URL('../..', import.meta.url)),
    globalSetup: ['test/bundle.ts'],
    include: ['test/upstreams/*.test.ts'],
    setupFiles: ['test/wait-longer.ts'],
    testTimeout: 120_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 30_000 } },
    // Each starts a gateway and servers that compute.
    fileParallelism: false,
    reporters: ['verbose', ['json', { outputFile: 'reports/upstreams.json' }]],
  },
});
