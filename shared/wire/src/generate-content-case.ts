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

function fold(value: unknown, ours: boolean, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > deepest || isNumber(value)) return value;
  if (Array.isArray(value)) return value.map(item => fold(item, true, depth + 1));
  const folded: Record<string, unknown> = Object.create(null);
  for (const [spelled, inner] of Object.entries(value)) {
    const name = ours ? camelCase(spelled) : spelled;
    if (name in folded) continue;
    folded[name] = ours && opaque.has(name) ? inner : fold(inner, !(ours && named.has(name)), depth + 1);
  }
  return { ...folded };
}

/** Whether it is a number that was kept as its text, for it could not be written as it was. */
function isNumber(value: object): boolean {
  return (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON(value);
}

/** The name of a field in camelCase, in whichever spelling it is given. */
export function camelCase(name: string): string {
  return name.replace(/(?<=[a-zA-Z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
