import type { Remark } from '../import/account.ts';
import type { Imported } from '../import/result.ts';

/** The name of a field that no source has. */
const unknown = 'zz_unknown';

/**
 * Adds a field that no importer knows to each mapping of a source, one at a time. Returns the places at which neither the result
 * holds it nor the report lists it, and the number of all places.
 */
export function unreportedFields<Source>(
  source: Source,
  convert: (source: Source) => Imported,
): { places: number; silent: string[] } {
  const silent: string[] = [];
  const paths = mappingsOf(source, []);
  for (const path of paths) {
    const changed = structuredClone(source);
    const mapping = path.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], changed);
    (mapping as Record<string, unknown>)[unknown] = 'a value';
    const { catalog, tokens, remarks } = convert(changed);
    const isHeld = JSON.stringify({ catalog, tokens }).includes(unknown);
    if (!isHeld && !remarks.some(remark => covers(remark, path))) silent.push(path.join('.'));
  }
  return { places: paths.length, silent };
}

/** True if a remark is about the added field, or about the loss of all of a mapping that holds it. */
function covers({ path, outcome }: Remark, mapping: readonly string[]): boolean {
  const steps = [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([\w-]+)/g)].map(
    ([, quoted, number, name]) => quoted ?? number ?? name,
  );
  const whole = [...mapping, unknown];
  if (outcome === 'changed' && steps.length < whole.length) return false;
  return steps.length > 0 && steps.every((step, at) => step === whole[at]);
}

function mappingsOf(value: unknown, path: string[]): string[][] {
  if (typeof value !== 'object' || value === null || value instanceof Date) return [];
  const below = Object.entries(value).flatMap(([key, each]) => mappingsOf(each, [...path, key]));
  return Array.isArray(value) ? below : [path, ...below];
}
