import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const name = 'model-gateway';

/** The path of the generated manifests. */
export const manifestsFile = path('model-gateway.yaml');

const head = `# The gateway without Helm: docs/kubernetes.md#without-helm. Generated from the chart by npm run manifests.
apiVersion: v1
kind: Namespace
metadata:
  name: ${name}
  labels:
    pod-security.kubernetes.io/enforce: restricted
`;

/** Renders the chart as plain manifests, without references to Helm. @throws Error if helm is not installed */
export function manifests(helm = 'helm'): string {
  const values = ['--values', path('values.yaml')];
  const args = [
    'template',
    name,
    path('../helm/model-gateway'),
    '--namespace',
    name,
    '--skip-tests',
    ...values,
  ];
  const text = execFileSync(helm, args, { encoding: 'utf8', maxBuffer: 32_000_000 });
  return (
    head + text.replaceAll(/^# Source: .*\n|^ *(helm\.sh\/chart|app\.kubernetes\.io\/managed-by): .*\n/gm, '')
  );
}
