import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { canRun } from './render.ts';

/** The version of Kubernetes whose schemas are used: the newest that the tests support. */
const version = '1.36.0';
const kept = resolve(import.meta.dirname, '../../.cache/kubernetes-schemas');

/** The location of the schemas: KUBECONFORM_SCHEMAS, else the cache, else kubeconform's default. */
const location = process.env.KUBECONFORM_SCHEMAS ?? (existsSync(kept) ? kept : undefined);
const program = process.env.KUBECONFORM_BIN ?? 'kubeconform';
const places = location
  ? [
      '-schema-location',
      `${location}/{{ .NormalizedKubernetesVersion }}/{{ .ResourceKind }}{{ .KindSuffix }}.json`,
    ]
  : [];
const flags = ['-strict', '-summary', '-ignore-missing-schemas', '-kubernetes-version', version, ...places];

export const whyNoKubeconform = !canRun(program, ['-v'])
  ? 'kubeconform is not installed'
  : validate('{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}').includes('Valid: 1')
    ? undefined
    : 'kubeconform has no schemas';

/** The output of kubeconform for these objects; a missing schema means an object of another project. */
export function validate(text: string): string {
  const { stdout, stderr } = spawnSync(program, flags, { input: text, encoding: 'utf8' });
  return stdout + stderr;
}
