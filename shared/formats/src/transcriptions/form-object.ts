import { exceededBound } from '@model-gateway/json';

type Value = string | number | boolean | Value[] | { [name: string]: Value };

const lists = new Set([
  'include',
  'timestamp_granularities',
  'known_speaker_names',
  'known_speaker_references',
  'keywords',
  'languages',
]);
const numbers = new Set(['temperature', 'threshold', 'prefix_padding_ms', 'silence_duration_ms']);
const booleans = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * Converts a form's fields to the equivalent JSON object. Clients write lists as a repeated `include[]`, and
 * an object's fields as `chunking_strategy[type]`. Texts become numbers and booleans where possible. Empty
 * fields are dropped, and the last of several fields with the same name counts.
 */
export function objectOf(fields: readonly [name: string, value: string][]): Record<string, Value> {
  const object = new Map<string, Value>();
  for (const [name, value] of fields) if (value !== '') put(object, name, value);
  return Object.fromEntries(object);
}

function put(object: Map<string, Value>, name: string, value: string): void {
  const [, outer = name, inner] = /^(\w+)\[(\w*)\]$/.exec(name) ?? [];
  const before = object.get(outer);
  if (inner) object.set(outer, { ...(isObject(before) && before), [inner]: read(inner, value) });
  else if (inner === '' || lists.has(outer))
    object.set(outer, [...(Array.isArray(before) ? before : []), value]);
  else object.set(outer, read(outer, value));
}

function read(name: string, value: string): Value {
  if (name === 'stream') return booleans.get(value.toLowerCase()) ?? value;
  if (numbers.has(name)) return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
  return name === 'chunking_strategy' && value.startsWith('{') ? parsed(value) : value;
}

/** Parses an object that a client wrote as JSON. */
function parsed(value: string): Value {
  try {
    return exceededBound(value) ? value : JSON.parse(value);
  } catch {
    return value;
  }
}

function isObject(value: Value | undefined): value is { [name: string]: Value } {
  return typeof value === 'object' && !Array.isArray(value);
}
