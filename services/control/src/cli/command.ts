import { parseArgs } from 'node:util';
import type { Admin } from './admin.ts';
import type { Target } from './login-file.ts';

/** An invalid command line. */
export class UsageError extends Error {}

const text = { type: 'string' } as const;

const options = {
  name: text,
  project: text,
  sha256: text,
  owner: text,
  'expires-at': text,
  models: text,
  endpoints: text,
  'allowed-addresses': text,
  tags: text,
  grace: text,
  limits: text,
  budget: text,
  'allow-unpriced': text,
  weight: text,
  'store-responses': text,
  logging: text,
  by: text,
  format: text,
  before: text,
  limit: text,
  from: text,
  to: text,
  token: text,
  user: text,
  'password-file': text,
  email: text,
  role: text,
  disabled: text,
  projects: text,
  actor: text,
  action: text,
  subject: text,
  tag: { type: 'string', multiple: true },
  model: text,
  provider: text,
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

export type Options = ReturnType<typeof parseCommandLine>['values'];

export type Printed = string | AsyncIterable<Uint8Array>;

/** A verb of a subject, such as `create` of `token`. */
export interface Command {
  takes: readonly string[];
  /** The name of its argument, such as ID; absent if it takes none. */
  argument?: string;
  /** Returns the text to print, or the parts of a long one. */
  run(admin: () => Admin, values: Options, argument: string, target: () => Target): Promise<Printed>;
}

/** Splits a command line. @throws UsageError for an unknown option */
export function parseCommandLine(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Splits a text such as `team=search,env=prod`. @throws UsageError if a part has no `=` */
export function pairsOf(option: string, text: string, example: string): Record<string, string> {
  return Object.fromEntries(
    text.split(',').map(pair => {
      const [name = '', ...value] = pair.split('=');
      if (value.length === 0)
        throw new UsageError(`--${option} must be such as ${example}, but has '${pair}'`);
      return [name.trim(), value.join('=').trim()];
    }),
  );
}

/** Returns the value of an option. @throws UsageError if it is absent or empty */
export function required(option: 'name' | 'project' | 'role' | 'expires-at', values: Options): string {
  const value = values[option];
  if (!value) throw new UsageError(`--${option} is required`);
  return value;
}

/** Splits a list such as `a,b`. */
export function listOf(text: string | undefined): string[] | '' | undefined {
  return text ? text.split(',').map(entry => entry.trim()) : (text as '' | undefined);
}

/** Reads `yes` or `no`; null if the text is empty. @throws UsageError for another text */
export function answerOf(
  option: 'allow-unpriced' | 'store-responses' | 'disabled',
  values: Options,
): boolean | null | undefined {
  const text = values[option];
  if (!text) return text === undefined ? undefined : null;
  if (text !== 'yes' && text !== 'no') throw new UsageError(`--${option} must be yes or no`);
  return text === 'yes';
}

/** Returns the parameters of the API for the options that are given. @throws UsageError if one is empty */
export function queryOf(values: Options, names: readonly (keyof Options)[]): URLSearchParams {
  const given = names.flatMap(name =>
    [values[name] ?? []].flat().map((value): [string, string] => [name, String(value)]),
  );
  const empty = given.find(([, value]) => value === '');
  if (empty) throw new UsageError(`--${empty[0]} must not be empty`);
  return new URLSearchParams(given);
}

/** Aligns rows in columns. */
export function table(lines: string[][]): string {
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0))) ?? [];
  return lines
    .map(line =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
