import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { manifests, manifestsFile } from '../../deploy/kubernetes/manifests.ts';
import { helm, objectsIn, whyNoHelm } from './render.ts';

const name = 'the manifests for those without Helm';

describe.skipIf(whyNoHelm)(whyNoHelm ? `${name} (skipped: ${whyNoHelm})` : name, () => {
  test('the manifests equal the rendered chart: npm run manifests', () => {
    // Versions of helm write the same objects with different text.
    expect(objectsIn(readFileSync(manifestsFile, 'utf8'))).toEqual(objectsIn(manifests(helm)));
  });

  test('the manifests contain no Secret, nothing of Helm, and one namespace', () => {
    const text = readFileSync(manifestsFile, 'utf8');
    const objects = objectsIn(text);
    expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    expect(text).not.toMatch(/helm\.sh|managed-by|hook/);
    const [first, ...others] = objects;
    expect(first?.kind).toBe('Namespace');
    expect([...new Set(others.map(({ metadata }) => metadata.namespace))]).toEqual([first?.metadata.name]);
  });
});
