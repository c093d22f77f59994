import type { RefusedRecord, UsageRecord } from '@model-gateway/canonical';

/** Lengths, in characters, that texts of a shortened record are cut to; the first that fits is used. */
const cuts = [256, 64];
/** Levels of nesting in a shortened record: the record's fields, those of `usage`, and those of the units. */
const depth = 3;

/** Yields a record without the upstream's raw usage object, with its texts cut, then with them cut further and without its tags. */
export function* shortened(record: object): Generator<object> {
  for (const length of cuts) yield cutFields(record, length, depth);
}

/** Copies the plain fields of an object and cuts its texts. Leaves out `raw`, arrays and deeper levels. */
function cutFields(fields: object, length: number, levels: number): Record<string, unknown> {
  const cut = Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    // A tag that is cut would be another one.
    if (name === 'raw' || (name === 'tags' && length !== cuts[0])) return [];
    if (typeof value === 'string') return [[name, cutText(value, length)]];
    if (typeof value === 'number' || typeof value === 'boolean' || value === null) return [[name, value]];
    if (typeof value !== 'object' || Array.isArray(value) || levels === 1) return [];
    return [[name, cutFields(value, length, levels - 1)]];
  });
  return Object.fromEntries(cut);
}

function cutText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}

/** Names a record in a message. */
export function nameOf(record: UsageRecord | RefusedRecord): string {
  return 'refused' in record ? 'of refused requests' : `${record.id} of ${record.requestId}`;
}
