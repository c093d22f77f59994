type Value = string | number | boolean | Value[] | { [name: string]: Value };

const lists = [
  'include',
  'timestamp_granularities',
  'known_speaker_names',
  'known_speaker_references',
  'keywords',
  'languages',
];
const numbers = ['temperature', 'threshold', 'prefix_padding_ms', 'silence_duration_ms'];
const switches: Record<string, boolean> = { true: true, false: false };

/**
 * A form's fields as an object: `include[]` and `include` are lists, `chunking_strategy[type]` is a field in a field. What is
 * a number or true and false in JSON becomes one, if it looks so; an empty field is none.
 */
export function objectOf(fields: readonly [name: string, value: string][]): Record<string, Value> {
  const object: Record<string, Value> = {};
  for (const [name, value] of fields) if (value !== '') put(object, name, value);
  return object;
}

function put(object: Record<string, Value>, name: string, value: string): void {
  const [, outer = name, inner = null] = /^(\w+)\[(\w*)\]$/.exec(name) ?? [];
  const before = Object.hasOwn(object, outer) ? object[outer] : undefined;
  if (inner) object[outer] = { ...(typeof before === 'object' ? before : {}), [inner]: read(inner, value) };
  else if (inner === '' || lists.includes(outer))
    object[outer] = [...(Array.isArray(before) ? before : []), value];
  else object[outer] = read(outer, value);
}

function read(name: string, value: string): Value {
  if (name === 'stream') return switches[value.toLowerCase()] ?? value;
  return numbers.includes(name) && Number.isFinite(Number(value)) ? Number(value) : value;
}
