import { posix } from 'node:path';
import { matchesPattern } from '@model-gateway/canonical';
import type { Provider } from '@model-gateway/catalog';

/**
 * The variables and files of workers that providers of the API may name, each with at most one `*`. An admin of the gateway need not
 * be one of its machines, and could read any of them by a provider at an own address.
 */
export type References = readonly string[];

/** Returns the reason why a provider of the API may not have its `apiKey`; undefined if it may. */
export function referenceProblem({ apiKey }: Provider, allowed: References): string | undefined {
  if (!apiKey || 'value' in apiKey) return undefined;
  const [kind, name] = 'env' in apiKey ? ['env', apiKey.env] : ['file', apiKey.file];
  const isPlain = kind === 'env' || posix.normalize(name) === name;
  if (isPlain && allowed.some(pattern => matchesPattern(name, pattern))) return undefined;
  return `must not be { ${kind}: ${name} } by the API: GATEWAY_API_REFERENCES does not allow it`;
}
