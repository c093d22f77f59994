/**
 * Returns a row as a line of PostgreSQL's text format for COPY: fields are divided by tabs, and `\N` is null. An object is
 * written as JSON. Texts must not contain NUL, which PostgreSQL does not store.
 */
export function copyLine(fields: readonly unknown[]): string {
  return `${fields.map(textOf).join('\t')}\n`;
}

function textOf(field: unknown): string {
  if (typeof field === 'string') return escaped(field);
  if (typeof field === 'number' || typeof field === 'boolean') return String(field);
  if (field === null || field === undefined) return '\\N';
  return field instanceof Date ? field.toISOString() : escaped(JSON.stringify(field));
}

const special = /[\\\n\r\t]/;
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(text: string): string {
  return special.test(text) ? text.replace(/[\\\n\r\t]/g, character => escapes[character] as string) : text;
}
