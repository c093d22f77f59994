import { posix } from 'node:path';
import { matchesPattern } from '@model-gateway/canonical';
import type { Problem, Provider } from '@model-gateway/catalog';
import { z } from 'zod';

/**
 * The variables and files of workers that providers of the API may name, each with at most one `*`. An admin of the gateway need not
 * be one of its machines, and could read any of them by a provider at an own address.
 */
export type References = readonly string[];

/** Returns the problems of a provider of the API: the variables and files that it names and may not name. */
export function referenceProblems(provider: Provider, allowed: References): ReferenceProblem[] {
  return referencesOf(provider).flatMap(({ path, secret }) => {
    const problem = problemOf(secret, allowed);
    return problem ? [{ path, ...problem }] : [];
  });
}

/** A field of a provider of the API that names what it may not name. */
interface ReferenceProblem extends Problem {
  /** The variable or file. */
  name: string;
}

/** Returns the sentence for problems of references, with the setting that would allow them. */
export function referenceSentence(problems: readonly ReferenceProblem[], allowed: References): string {
  const [first] = problems;
  const paths = problems.map(({ path }) => path).join(', ');
  const what =
    problems.length === 1
      ? `${first?.path}: ${first?.reason}`
      : `GATEWAY_API_REFERENCES does not allow what ${problems.length} fields name: ${paths}`;
  const wanted = [...new Set([...allowed, ...problems.map(({ name }) => name)])].join(',');
  return `${what}. To allow it, start control with GATEWAY_API_REFERENCES=${wanted}`;
}

/** Returns everything in a provider that may name a variable or a file, by its path. */
function referencesOf({
  apiKey,
  apiKeys = [],
  headers,
  proxy,
  tls = {},
}: Provider): { path: string; secret: object }[] {
  return [
    ...(apiKey ? [{ path: 'apiKey', secret: apiKey }] : []),
    ...apiKeys.map(({ key }, at) => ({ path: `apiKeys[${at}].key`, secret: key })),
    ...(typeof proxy === 'object' && proxy.password
      ? [{ path: 'proxy.password', secret: proxy.password }]
      : []),
    ...(['ca', 'cert', 'key'] as const).flatMap(name => {
      const secret = tls[name];
      return secret ? [{ path: `tls.${name}`, secret }] : [];
    }),
    ...Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [] : { path: z.core.toDotPath(['headers', name]), secret: value },
    ),
  ];
}

function problemOf(
  secret: { env?: string; file?: string },
  allowed: References,
): Omit<ReferenceProblem, 'path'> | undefined {
  const { env, file } = secret;
  const name = env ?? file;
  if (name === undefined) return undefined;
  const isPlain = env !== undefined || posix.normalize(name) === name;
  if (isPlain && allowed.some(pattern => matchesPattern(name, pattern))) return undefined;
  const kind = env === undefined ? 'file' : 'env';
  const reason = `must not be { ${kind}: ${name} } by the API: GATEWAY_API_REFERENCES does not allow it`;
  return { name, reason };
}
