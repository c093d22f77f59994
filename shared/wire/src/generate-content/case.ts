/*
 * Fields of generate-content may be spelled in camelCase or in snake_case, as in every JSON of protocol buffers. They are read
 * in camelCase; what is the user's own data keeps its case.
 */

/** What holds data of the user: arguments, results, JSON schemas, labels. */
const opaque = new Set([
  'args',
  'response',
  'parametersJsonSchema',
  'responseJsonSchema',
  '_responseJsonSchema',
  'default',
  'enum',
  'example',
  'labels',
  'headers',
  'partMetadata',
]);
/** What maps names of the user to messages of the format. */
const named = new Set(['properties']);
const deepest = 256;

/** A body with the names of its fields in camelCase, of two spellings of one field the first. */
export function camelCased(body: unknown): unknown {
  return fold(body, true, 0);
}

/** A value is copied only from where a name in it changes. */
function fold(value: unknown, ours: boolean, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > deepest || isNumber(value)) return value;
  if (Array.isArray(value)) return foldItems(value, depth);
  const members = value as Record<string, unknown>;
  let folded: Record<string, unknown> | undefined;
  for (const spelled of Object.keys(members)) {
    const name = ours ? camelCase(spelled) : spelled;
    const given = members[spelled];
    const inner = ours && opaque.has(name) ? given : fold(given, !(ours && named.has(name)), depth + 1);
    if (!folded && (name !== spelled || inner !== given)) folded = membersBefore(members, spelled);
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

/** Adds a member of the object's own, whatever its name: `__proto__` is one like others in JSON. */
function put(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  else object[name] = value;
}

/** Whether it is a number that was kept as its text, for it could not be written as it was. */
function isNumber(value: object): boolean {
  return (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value);
}

/** The name of a field in camelCase, in whichever spelling it is given. */
export function camelCase(name: string): string {
  return !name.includes('_')
    ? name
    : name.replace(/(?<=[a-zA-Z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
