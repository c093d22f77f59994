import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Separate from the other tests, because it changes the cluster of KUBECONFIG.
export default defineConfig({
  test: {
    name: 'kubernetes',
    root: fileURLToPath(new URL('../..', import.meta.url)),
    include: ['test/kubernetes/kubernetes.test.ts'],
    testTimeout: 60_000,
    teardownTimeout: 330_000,
    reporters: ['verbose', ['json', { outputFile: 'reports/kubernetes.json' }]],
  },
});
