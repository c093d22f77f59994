import { scanJson } from './bounds.ts';
import { jsonStep, parseInSteps, type Turn } from './parse-in-steps.ts';
import { topLevelSpans } from './text.ts';

/**
 * Parses JSON so that `JSON.stringify` writes each number unchanged. A number that JavaScript would change,
 * such as an integer beyond 2^53, becomes raw JSON instead of a number.
 * @throws SyntaxError if the text is not JSON or nests too deep
 */
export function parseExact(text: string): unknown {
  const { exceeded, inexact } = scanJson(text, unbounded);
  if (exceeded) throw new SyntaxError(`The JSON ${exceeded.words}.`);
  // Nearly all texts have no such number and are parsed without a reviver.
  return inexact ? exact.parse(text, keepSource) : JSON.parse(text);
}

/**
 * Parses those top-level members of a JSON object whose key is in `keys`, like {@link parseExact}. `text`
 * must be valid JSON. Spread over the object that `JSON.parse` returns, the result makes these members exact.
 */
export function exactMembers(text: string, keys: readonly string[]): Record<string, unknown> {
  const members = topLevelSpans(text).filter(({ key }) => keys.includes(key));
  return Object.fromEntries(
    members.map(({ key, valueStart, valueEnd }) => [key, parseExact(text.slice(valueStart, valueEnd))]),
  );
}

/** Does the same as {@link exactMembers} in steps, for a large text. */
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

const unbounded = { values: Infinity, integers: Infinity, items: Infinity, token: Infinity };

/** Functions that JavaScript has since 2025 and TypeScript's library does not declare yet. */
const exact = JSON as unknown as {
  parse(text: string, reviver: typeof keepSource): unknown;
  rawJSON(text: string): unknown;
};
