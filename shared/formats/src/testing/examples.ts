import { globSync, readFileSync } from 'node:fs';

const folder = new URL('../', import.meta.url);

/** The example streams of a format, by their names. */
export function examplesOf(format: string): string[] {
  return globSync(`${format}/examples/*.sse`, { cwd: folder }).map(path =>
    path.replace(/.*[\\/]|\.sse$/g, ''),
  );
}

export function example(format: string, name: string): string {
  return readFileSync(new URL(`${format}/examples/${name}.sse`, folder), 'utf8');
}
