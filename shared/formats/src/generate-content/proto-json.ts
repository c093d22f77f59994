import { z } from 'zod';
import { isJsonObject } from '../values/schemas.ts';

/*
 * Fields of generate-content may be spelled in camelCase or snake_case, as in all JSON of protocol buffers.
 * They are read in camelCase; user data keeps its case.
 */

/** Fields that hold user data: arguments, results, JSON schemas, labels. */
const userData = new Set([
  'args',
  'response',
  'parametersJsonSchema',
  'responseJsonSchema',
  '_responseJsonSchema',
  'schema',
  'default',
  'enum',
  'example',
  'labels',
  'headers',
  'partMetadata',
]);
/** Fields that map names chosen by the user to messages of the format. */
const userKeys = new Set(['properties']);
const maxDepth = 256;

/** Returns a body with its field names in camelCase; of two spellings of a field, the first counts. */
export function camelCased(body: unknown): unknown {
  return fold(body, true, 0);
}

/** Copies a value only from the first renamed field on. */
function fold(value: unknown, ofFormat: boolean, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > maxDepth || isRawNumber(value)) return value;
  if (Array.isArray(value)) return foldItems(value, depth);
  const members = value as Record<string, unknown>;
  let folded: Record<string, unknown> | undefined;
  for (const spelled of Object.keys(members)) {
    const name = ofFormat ? camelCase(spelled) : spelled;
    const member = members[spelled];
    const inner =
      ofFormat && userData.has(name) ? member : fold(member, !(ofFormat && userKeys.has(name)), depth + 1);
    if (!folded && (name !== spelled || inner !== member)) folded = membersBefore(members, spelled);
    if (folded && !Object.hasOwn(folded, name)) put(folded, name, inner);
  }
  return folded ?? value;
}

function foldItems(items: readonly unknown[], depth: number): readonly unknown[] {
  let folded: unknown[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const inner = fold(items[i], true, depth + 1);
    if (!folded && inner !== items[i]) folded = items.slice(0, i);
    folded?.push(inner);
  }
  return folded ?? items;
}

function membersBefore(members: Record<string, unknown>, end: string): Record<string, unknown> {
  const before: Record<string, unknown> = {};
  for (const name of Object.keys(members)) {
    if (name === end) break;
    put(before, name, members[name]);
  }
  return before;
}

/** Sets an own member, also for the key `__proto__`. */
function put(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}

/** True for a raw JSON number, kept as text because JavaScript would change it. */
function isRawNumber(value: object): boolean {
  return (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value);
}

/** Returns a field's name in camelCase, from either spelling. */
export function camelCase(name: string): string {
  return !name.includes('_')
    ? name
    : name.replace(/(?<=[a-zA-Z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * A schema of a repeated field. Google's servers read one value in its place as a list of one, as their JSON of protocol buffers
 * allows.
 */
export function repeated<T extends z.ZodArray>(list: T) {
  return z.preprocess(asList, list);
}

function asList(value: unknown): unknown {
  return typeof value === 'string' || isJsonObject(value) ? [value] : value;
}

/** Reads a text in place of a part. */
export function textAsPart(value: unknown): unknown {
  return typeof value === 'string' ? { text: value } : value;
}

/** Reads a text in place of a content. */
export function textAsContent(value: unknown): unknown {
  return typeof value === 'string' ? { parts: [{ text: value }] } : value;
}
