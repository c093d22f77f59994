import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

interface LockedPackage {
  version?: string;
  resolved?: string;
  integrity?: string;
  /** True for a workspace, which is in this repository. */
  link?: boolean;
}

const root = resolve(import.meta.dirname, '../..');
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockedPackage>;
};
const installed = Object.entries(packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && !link,
);

test('every package that is installed has the hash of its content', () => {
  expect(installed.length).toBeGreaterThan(500);
  const without = installed.filter(([, { integrity = '' }]) => !integrity.startsWith('sha512-'));
  expect(without.map(([path]) => path)).toEqual([]);
});

test('no package is bound to one registry', () => {
  expect(installed.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
});
