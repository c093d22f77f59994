import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments, stringify } from 'yaml';

const execute = promisify(execFile);

/** The helm binary: HELM_BIN, else the one on PATH. */
export const helm = process.env.HELM_BIN ?? 'helm';
export const whyNoHelm = canRun(helm, ['version']) ? undefined : 'helm is not installed';
export const chart = resolve(import.meta.dirname, '../../deploy/helm/model-gateway');

/** The smallest values that install, as for a trial. */
export const trial = { postgres: { enabled: true }, persistence: { enabled: false } };

/** An object of Kubernetes in the chart's output. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: its shape depends on its kind; kubeconform knows them all.
  [field: string]: any;
}

/** True if the program exists and exits with 0. */
export function canRun(program: string, args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

/** Renders the chart with these values as release `mg` in namespace `test`. Rejects with helm's error. */
export async function renderText(values: object, name = 'mg'): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-helm-'));
  try {
    const file = join(folder, 'values.yaml');
    writeFileSync(file, stringify(values));
    const args = ['template', name, chart, '--namespace', 'test', '--values', file];
    const { stdout } = await execute(helm, args, { maxBuffer: 32_000_000 });
    return stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The objects of a text with several documents. */
export function objectsIn(text: string): KubernetesObject[] {
  return parseAllDocuments(text).flatMap(document => {
    const object = document.toJS();
    return object ? [object as KubernetesObject] : [];
  });
}

export async function render(values: object, name?: string): Promise<KubernetesObject[]> {
  return objectsIn(await renderText(values, name));
}

/** A pod of the chart, alone or from a Deployment or StatefulSet. */
export interface Pod {
  component: string;
  labels: Record<string, string>;
  replicas: number;
  // biome-ignore lint/suspicious/noExplicitAny: see KubernetesObject.
  spec: any;
}

/** The pods of a rendered chart: one for each Deployment, StatefulSet and bare pod. */
export function podsIn(objects: KubernetesObject[]): Pod[] {
  return objects.flatMap(object => {
    const { metadata, spec } = object.kind === 'Pod' ? object : (object.spec?.template ?? {});
    if (!spec?.containers) return [];
    const component = metadata.labels['app.kubernetes.io/component'];
    return [{ component, labels: metadata.labels, replicas: object.spec.replicas ?? 1, spec }];
  });
}
