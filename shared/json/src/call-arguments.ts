import { exceededBound } from './bounds.ts';
import { parseExact } from './parse-in-steps.ts';

/**
 * Returns the arguments of a tool call, which some formats write as JSON text, as the object that others require. Text that is
 * not JSON is kept in `_raw`, and any other value in `value`. Numbers stay exact.
 */
export function argumentsObject(text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  const value = parsed(text);
  if (value === undefined) return { _raw: text };
  // An exact number is also a JavaScript object, so the text decides.
  if (text.trimStart().startsWith('{')) return value as Record<string, unknown>;
  // PHP writes an empty object as an empty list.
  if (value === null || isEmptyList(value)) return {};
  const inner = typeof value === 'string' && value.trimStart().startsWith('{') ? parsed(value) : undefined;
  return inner === undefined ? { value } : (inner as Record<string, unknown>);
}

/** Returns the arguments of a call of a history as JSON text. An object is written as text; text that is not JSON is kept in `_raw`. */
export function argumentsText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  return areArguments(value) ? value : JSON.stringify({ _raw: value });
}

/** Returns a call of a history with its arguments as {@link argumentsText} returns them. Absent ones stay absent. */
export function withArgumentsText<Call extends { arguments?: unknown }>(call: Call): Call {
  const { arguments: sent } = call;
  if (sent === undefined || sent === null) return call;
  const text = argumentsText(sent);
  return text === sent ? call : { ...call, arguments: text };
}

/** Matches what begins as a JSON value: an exception for each other text takes long. */
const beginsAsJson = /^\s*(?:[[{"\d-]|(?:true|false|null)\s*$)/;

/** The characters of a text that are parsed without a look at its bounds. */
const small = 100_000;

/** True for arguments that {@link argumentsText} returns unchanged. Text beyond the bounds of a request is not looked at. */
export function areArguments(value: unknown): boolean {
  if (typeof value !== 'string') return value === undefined || value === null;
  if (value.trim() === '' || (value.length > small && exceededBound(value))) return true;
  if (!beginsAsJson.test(value)) return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** `T` without null: a field that may be null or undefined becomes optional. */
type WithoutNullish<T> = {
  [K in keyof T as null extends T[K] ? never : undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as null extends T[K] ? K : undefined extends T[K] ? K : never]?: NonNullable<T[K]>;
};

/** Returns a copy without the members that are null or undefined: both mean "not set". */
export function omitNullish<T extends object>(fields: T): WithoutNullish<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as WithoutNullish<T>;
}
