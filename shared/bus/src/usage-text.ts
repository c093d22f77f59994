import type { UsageRecord } from '@model-gateway/canonical';

/** Lengths, in characters, that texts of a shortened record are cut to; the first that fits is used. */
const cuts = [256, 64];
/** Levels of nesting in a shortened record: the record's fields, those of `usage`, and those of the units. */
const depth = 3;

/** A serialized usage record. */
export interface UsageText {
  text: string;
  /** The length of `text` in UTF-8. */
  bytes: number;
  /** True if parts of the record were left out. */
  shortened: boolean;
}

/**
 * Writes a record as JSON of at most `maxBytes`. A longer record loses the upstream's raw usage object and the ends
 * of its texts, then its tags, never its counts. Undefined if the shortened record does not fit either.
 */
export function writeUsage(record: UsageRecord, maxBytes: number): UsageText | undefined {
  const whole = toText(record);
  if (whole !== undefined) {
    const bytes = Buffer.byteLength(whole);
    if (bytes <= maxBytes) return { text: whole, bytes, shortened: false };
  }
  for (const length of cuts) {
    const text = toText(cutFields(record, length, depth));
    if (text === undefined) continue;
    const bytes = Buffer.byteLength(text);
    if (bytes <= maxBytes) return { text, bytes, shortened: true };
  }
  return undefined;
}

/** Shortens a record that was written to at most `maxBytes`; undefined if it does not fit. */
export function shortenUsage({ text }: UsageText, maxBytes: number): UsageText | undefined {
  return writeUsage(JSON.parse(text), maxBytes);
}

/** Undefined for values that JSON cannot represent, such as a bigint or a cycle. */
function toText(record: unknown): string | undefined {
  try {
    return JSON.stringify(record);
  } catch {
    return undefined;
  }
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
