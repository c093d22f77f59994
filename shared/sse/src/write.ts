const lineSeparators = /[\u2028\u2029]/g;

/**
 * JSON for a `data:` line. U+2028 and U+2029 are escaped, since some readers take them for a line's end.
 */
export function dataJson(value: unknown): string {
  return JSON.stringify(value).replace(lineSeparators, c => (c === '\u2028' ? '\\u2028' : '\\u2029'));
}

/** One event: its name where it has one, and its data on one line. */
export function sseEvent(data: string, name?: string): string {
  return name ? `event: ${name}\ndata: ${data}\n\n` : `data: ${data}\n\n`;
}

/** A comment: keeps the connection alive, and every reader ignores it. */
export function sseComment(text: string): string {
  return `: ${text}\n\n`;
}
