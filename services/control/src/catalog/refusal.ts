import type { Problem } from '@model-gateway/catalog';
import { InvalidFields } from '../common/invalid-fields.ts';

/**
 * The error for entries that are invalid. `within`: the path of the only entry, which its problems leave out. `sentence` writes them
 * in another way than one by one.
 */
export function invalidEntries<Found extends Problem>(
  problems: readonly Found[],
  within = '',
  sentence?: (shown: Found[]) => string,
): InvalidFields {
  const shown = problems.map(problem => ({ ...problem, path: withoutPrefix(problem.path, within) }));
  const errors = shown.map(({ path, reason }) => ({ path, message: reason, code: codeOf(reason) }));
  return new InvalidFields(errors, sentence?.(shown));
}

function withoutPrefix(path: string, prefix: string): string {
  if (prefix === '' || !path.startsWith(prefix)) return path || 'body';
  return path.slice(prefix.length).replace(/^\./, '') || 'body';
}

function codeOf(reason: string): string {
  if (reason === 'is required') return 'missing_required_parameter';
  return reason === 'is not a known field' ? 'unknown_parameter' : 'invalid_value';
}
