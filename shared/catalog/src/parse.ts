import type { z } from 'zod';
import { checkRules, type Problem } from './rules.ts';
import { type CatalogFile, catalogSchema } from './schema.ts';

export type Parsed = { catalog: CatalogFile; problems?: never } | { catalog?: never; problems: Problem[] };

/** Entries that are in force beside those that are parsed, which may name them. */
interface OtherEntries {
  providers: readonly object[];
  models: readonly object[];
}

/**
 * Parses the content of the catalog's YAML file; reports all problems, not just the first. `others` may be named by its entries, and
 * their own problems are not reported.
 */
export function parseCatalog(input: unknown, others?: OtherEntries): Parsed {
  const result = catalogSchema.safeParse(input, { error: describe });
  const problems = [...(result.error?.issues ?? []).flatMap(toProblems), ...checkRules(input, others)];
  const once = new Map(problems.toReversed().map(problem => [problem.path, problem]));
  if (once.size > 0) return { problems: [...once.values()].toReversed() };
  return { catalog: result.data as CatalogFile };
}

function toProblems(issue: z.core.$ZodIssue): Problem[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: formatPath(issue.path), reason: issue.message }];
  return issue.keys.map(key => ({
    path: formatPath([...issue.path, key]),
    reason: 'is not a known field',
  }));
}

/** Writes `['models', 1, 'name']` as `models[1].name`. */
function formatPath(path: readonly PropertyKey[]): string {
  const text = path.map(step => {
    if (typeof step === 'number') return `[${step}]`;
    return /^[A-Za-z_]\w*$/.test(String(step)) ? `.${String(step)}` : `[${JSON.stringify(String(step))}]`;
  });
  return text.join('').replace(/^\./, '');
}

/** Error messages for issues that the schema has none for. They never repeat values, which may be secrets. */
function describe(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is required'
        : `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : `must be one of ${issue.values.join(', ')}`;
    case 'invalid_key':
      return issue.issues[0]?.message;
    default:
      return undefined;
  }
}

const typeNames: Partial<Record<string, string>> = {
  string: 'a string (quote it if it looks like a number or a date)',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
  object: 'a mapping of fields',
  record: 'a mapping of fields',
};
