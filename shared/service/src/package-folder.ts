import { findPackageJSON } from 'node:module';
import { dirname } from 'node:path';

/** Returns the folder of one of this repository's packages, in which files lie that it reads. The source and `dist` find the same folder. */
export function packageFolder(name: `@model-gateway/${string}`): string {
  const manifest = findPackageJSON(name, import.meta.url);
  if (!manifest) throw new Error(`The package ${name} is not installed: run npm ci`);
  return dirname(manifest);
}
