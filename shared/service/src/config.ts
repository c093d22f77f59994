import { readFileSync } from 'node:fs';
import type { z } from 'zod';

export type Env = Record<string, string | undefined>;

/** An invalid configuration; its message names each setting and the problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads settings from the environment by a schema. An empty variable counts as unset. If NAME is not set,
 * NAME_FILE may name a file with its value, which is how containers receive secrets.
 * @throws ConfigError
 */
export function readConfig<T>(schema: z.ZodType<T>, env: Env = process.env): T {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const result = schema.safeParse(withFiles(set));
  if (result.success) return result.data;
  const problems = result.error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`);
  throw new ConfigError(problems.join('; '));
}

/**
 * Adds getters that read the files, so that only settings of the schema are read: GATEWAY_READY_FILE, for
 * example, is itself a setting.
 */
function withFiles(env: Env): Env {
  const all = { ...env };
  for (const [file, path] of Object.entries(env)) {
    const name = file.replace(/_FILE$/, '');
    if (name === file || name in env || !path) continue;
    Object.defineProperty(all, name, { enumerable: true, get: () => readSetting(file, path) });
  }
  return all;
}

/**
 * Returns the text of a variable that is set, or else of the file that `<NAME>_FILE` names; undefined if there is neither.
 * @throws ConfigError if the file cannot be read
 */
export function readVariable(
  name: string,
  env: Env = process.env,
): { text: string; source: 'environment' | 'file' } | undefined {
  if (env[name]) return { text: env[name], source: 'environment' };
  const file = `${name}_FILE`;
  const text = env[file] ? readSetting(file, env[file]) : undefined;
  return text === undefined ? undefined : { text, source: 'file' };
}

function readSetting(name: string, path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch (error) {
    throw new ConfigError(`${name}: ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}
