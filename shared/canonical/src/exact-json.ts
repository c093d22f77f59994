/**
 * Reads JSON so that `JSON.stringify` writes each number as it was: one that JavaScript's would change, such as an
 * integer beyond 2^53, is kept as its text and is no number until then.
 * @throws SyntaxError for what is not JSON
 */
export function parseExact(text: string): unknown {
  // Only long numbers and exponents can change: nearly all texts have neither, and are read without a look at each value.
  return /\d{16}|\d[eE]|\d\.\d/.test(text) ? exact.parse(text, keepSource) : JSON.parse(text);
}

function keepSource(_key: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined) return value;
  return String(value) === source ? value : exact.rawJSON(source);
}

/** What the language has since 2025, and TypeScript's library does not list yet. */
const exact = JSON as unknown as {
  parse(text: string, reviver: typeof keepSource): unknown;
  rawJSON(text: string): unknown;
};
