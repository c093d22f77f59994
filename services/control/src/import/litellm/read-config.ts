import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';

type Config = Record<string, unknown>;

/**
 * Reads config.yaml with the files that it includes, merged as LiteLLM does: lists are joined, and of other values the
 * included one counts. @throws Error that names the file
 */
export function readConfig(path: string): Config {
  const start = resolve(path);
  const root = readYaml(start, path);
  const seen = new Set([start]);
  const pending = includesOf(root, start, path);
  let merged = withoutIncludes(root);
  for (let next = pending.shift(); next; next = pending.shift()) {
    const { location, name } = next;
    if (seen.has(location)) continue;
    seen.add(location);
    const included = readYaml(location, name);
    merged = join(merged, withoutIncludes(included));
    pending.push(...includesOf(included, location, name));
  }
  return merged;
}

function join(base: Config, included: Config): Config {
  const joined = Object.entries(included).map(([key, value]) => {
    const before = base[key];
    return [key, Array.isArray(value) && Array.isArray(before) ? [...before, ...value] : value];
  });
  return { ...base, ...Object.fromEntries(joined) };
}

function includesOf(config: Config, location: string, path: string): { location: string; name: string }[] {
  const { include = [] } = config;
  if (!Array.isArray(include) || include.some(entry => typeof entry !== 'string'))
    throw new Error(`${path}: include must be a list of files`);
  return (include as string[]).map(name => ({ location: resolve(dirname(location), name), name }));
}

function withoutIncludes({ include: _, ...config }: Config): Config {
  return config;
}

function readYaml(location: string, path: string): Config {
  const lineCounter = new LineCounter();
  // The message must not quote the text, which may be a secret.
  const document = parseDocument(readFile(location, path), { lineCounter, prettyErrors: false });
  const [error] = document.errors;
  if (error)
    throw new Error(
      `${path} is not valid YAML: line ${lineCounter.linePos(error.pos[0]).line}: ${error.message}`,
    );
  const config: unknown = document.toJS();
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    throw new Error(`${path} is no config.yaml of LiteLLM: it must be a mapping with model_list`);
  return config as Config;
}

function readFile(location: string, path: string): string {
  try {
    return readFileSync(location, 'utf8');
  } catch (cause) {
    throw new Error(`${path} cannot be read`, { cause });
  }
}
