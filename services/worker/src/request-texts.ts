import { isJsonObject } from '@model-gateway/json';
import { quotedLength } from './quotes.ts';

/** Members that hold the arguments or the result of a tool as an object, in some format. */
const structured = new Set([
  ...['arguments', 'args', 'input', 'output', 'response', 'result'],
  ...['data', 'document', 'json'],
]);
/** Members of a request that errors of upstreams name. */
const named = new Set(['model']);
/** The longest text that is parsed for its values. */
const maxParsed = 64 * 1024;

/** Returns the texts of a request: its prompts, and the arguments and results of tools. The name of its model is none of them. */
export function textsOf(request: unknown): string[] {
  const texts: string[] = [];
  const members = isJsonObject(request) ? Object.entries(request) : [];
  for (const [name, value] of members) if (!named.has(name)) collect(value, '', texts);
  return texts;
}

/** Collects the texts of a value. `name`: its member's; undefined in a value that was written as a whole. */
function collect(value: unknown, name: string | undefined, texts: string[]): void {
  if (typeof value === 'string') {
    if (value.length >= quotedLength) texts.push(value);
    const mayBeJson = name !== undefined && value.length <= maxParsed && /^\s*[{[]/.test(value);
    if (mayBeJson) addWritings(parsed(value), texts);
  } else if (typeof value === 'object' && value !== null) {
    const isList = Array.isArray(value);
    // A prompt may be a list of numbers of tokens.
    const isNumbers = isList && typeof value[0] === 'number';
    const isWritten = name !== undefined && (structured.has(name) || isNumbers);
    if (isWritten) addWritings(value, texts);
    if (isNumbers) return;
    const isInside = isWritten || name === undefined;
    for (const [key, each] of Object.entries(value))
      collect(each, isInside ? undefined : isList ? name : key, texts);
  }
}

/** Adds the ways in which servers write a value of JSON: close together, with spaces, and as Python shows it. */
function addWritings(value: unknown, texts: string[]): void {
  if (typeof value !== 'object' || value === null) return;
  const close = JSON.stringify(value);
  const spaced = close.replace(/"(?:[^"\\]|\\.)*"|[,:]/g, part => (part.length === 1 ? `${part} ` : part));
  texts.push(close, spaced, spaced.replaceAll('"', "'"));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
