import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Separate from the other tests, because it needs Prometheus, a collector and a trace store, and takes more than half a minute.
export default defineConfig({
  test: {
    name: 'telemetry',
    root: fileURLToPath(new URL('../..', import.meta.url)),
    globalSetup: ['test/bundle.ts'],
    include: ['test/telemetry/{prometheus,collector,trace-store}.test.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    reporters: ['verbose', ['json', { outputFile: 'reports/telemetry.json' }]],
  },
});
