const lineSeparators = /[\u2028\u2029]/g;

/**
 * Returns JSON for a `data:` line. U+2028 and U+2029 are escaped, since some readers take them for line ends.
 */
export function dataJson(value: unknown): string {
  return JSON.stringify(value).replace(lineSeparators, c => (c === '\u2028' ? '\\u2028' : '\\u2029'));
}

/** Returns one event: an optional name, and the data on one line. */
export function sseEvent(data: string, name?: string): string {
  return name ? `event: ${name}\ndata: ${data}\n\n` : `data: ${data}\n\n`;
}

/** Returns a comment: it keeps the connection alive, and readers ignore it. */
export function sseComment(text: string): string {
  return `: ${text}\n\n`;
}
