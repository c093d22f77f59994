import { scanJson } from './json-bounds.ts';
import { topLevelSpans } from './json-text.ts';
import { jsonStep, parseInSteps, type Turn } from './parse-in-steps.ts';

/**
 * Reads JSON so that `JSON.stringify` writes each number as it was: one that JavaScript's would change, such as an
 * integer beyond 2^53, is kept as its text and is no number until then.
 * @throws SyntaxError for a text that is not JSON, or nests too deep
 */
export function parseExact(text: string): unknown {
  const { exceeded, inexact } = scanJson(text, unbounded);
  if (exceeded) throw new SyntaxError(`The JSON ${exceeded.words}.`);
  // Nearly all texts have no such number, and are read without a look at each value.
  return inexact ? exact.parse(text, keepSource) : JSON.parse(text);
}

/**
 * Those of a JSON object's top-level members that are among `keys`, read as {@link parseExact} does; `text` must already
 * be known to be valid. What is spread over the object as `JSON.parse` read it makes these members exact.
 */
export function exactMembers(text: string, keys: readonly string[]): Record<string, unknown> {
  const members = topLevelSpans(text).filter(({ key }) => keys.includes(key));
  return Object.fromEntries(
    members.map(({ key, valueStart, valueEnd }) => [key, parseExact(text.slice(valueStart, valueEnd))]),
  );
}

/** The same of a large text, in steps. */
export async function exactMembersInSteps(
  text: string,
  keys: readonly string[],
  turn: Turn,
  step = jsonStep,
): Promise<Record<string, unknown>> {
  const members = topLevelSpans(text).filter(({ key }) => keys.includes(key));
  const read: [string, unknown][] = [];
  for (const { key, valueStart, valueEnd } of members) {
    await turn();
    read.push([key, await parseInSteps(text.slice(valueStart, valueEnd), turn, parseExact, step)]);
  }
  return Object.fromEntries(read);
}

function keepSource(_key: string, value: unknown, { source }: { source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined) return value;
  return String(value) === source ? value : exact.rawJSON(source);
}

const unbounded = { values: Infinity, integers: Infinity, items: Infinity };

/** What the language has since 2025, and TypeScript's library does not list yet. */
const exact = JSON as unknown as {
  parse(text: string, reviver: typeof keepSource): unknown;
  rawJSON(text: string): unknown;
};
