import type { z } from 'zod';

/** The values that a top-level field of a request may have. */
export interface FieldRange {
  name: string;
  kind: 'number' | 'text' | 'list';
  least?: number;
  most?: number;
}

/** Beyond every bound of a number, and within the range of numbers. */
const far = 1e12;
/** Longer than every bounded text or list at the top level of a request. */
const long = 40_000;

/** Finds the fields of an object that have a range, by giving each a value that is too large or too small. */
export function fieldRanges(shape: Record<string, z.core.$ZodType>): FieldRange[] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const field = schema as z.ZodType;
    const number = rangeOf(name, 'number', most(field, far), least(field, -far));
    const text = rangeOf(name, 'text', most(field, 'x'.repeat(long)));
    const list = rangeOf(name, 'list', most(field, Array(long).fill('x')));
    return [...number, ...text, ...list];
  });
}

function rangeOf(name: string, kind: FieldRange['kind'], most?: number, least?: number): FieldRange[] {
  if (most === undefined && least === undefined) return [];
  return [{ name, kind, ...(most !== undefined && { most }), ...(least !== undefined && { least }) }];
}

function most(field: z.ZodType, value: unknown): number | undefined {
  return boundIn(field, value, issue =>
    issue.code === 'too_big' ? Number(issue.maximum) : numberIn(issue, 'at most '),
  );
}

function least(field: z.ZodType, value: unknown): number | undefined {
  return boundIn(field, value, issue =>
    issue.code === 'too_small' ? Number(issue.minimum) : numberIn(issue, 'at least '),
  );
}

/** Only errors about the value as a whole count: a part of it may have the wrong type. */
function boundIn(
  field: z.ZodType,
  value: unknown,
  read: (issue: z.core.$ZodIssue) => number | undefined,
): number | undefined {
  const issues = field.safeParse(value).error?.issues ?? [];
  const whole = issues.filter(({ path }) => path.length === 0);
  // A schema for a list also reports that a text is too long.
  if (whole.some(({ code }) => code === 'invalid_type')) return undefined;
  return whole.map(read).find(bound => bound !== undefined && !Number.isNaN(bound));
}

/** Refinements have their bound in `expected`, or as a minimum. */
function numberIn(issue: z.core.$ZodIssue, before: string): number | undefined {
  if (issue.code !== 'custom') return undefined;
  const { expected, minimum } = issue.params ?? {};
  if (minimum !== undefined && before === 'at least ') return Number(minimum);
  return String(expected).startsWith(before) ? Number.parseFloat(expected.slice(before.length)) : undefined;
}

/** The bound in the error of a schema. */
export function boundOf(schema: z.ZodType, beyond: unknown): number {
  const issues = schema.safeParse(beyond).error?.issues ?? [];
  for (const issue of issues) {
    if (issue.code === 'too_big') return Number(issue.maximum);
    const [, number] = /^at most (\d+)/.exec(String(issue.code === 'custom' && issue.params?.expected)) ?? [];
    if (number) return Number(number);
  }
  throw new Error('the schema has no such bound');
}
