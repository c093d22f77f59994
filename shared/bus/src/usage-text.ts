import type { UsageRecord } from '@model-gateway/canonical';

/** The length of each text of a shortened record, in characters; the first that fits is taken. */
const cuts = [256, 64];
/** The levels of a shortened record that are kept: its own fields, those of its usage, and those of the units. */
const depth = 3;

/** A usage record as it is sent. */
export interface UsageText {
  text: string;
  /** The length of `text` in UTF-8. */
  bytes: number;
  /** Set when parts of the record were left out. */
  shortened: boolean;
}

/**
 * Writes a record as JSON of at most `maxBytes`. A record that is longer loses the upstream's own usage object and the
 * ends of its texts, never its counts. Undefined if it does not fit even so.
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

/** Shortens a record that was written before. */
export function shortenUsage({ text }: UsageText, maxBytes: number): UsageText | undefined {
  return writeUsage(JSON.parse(text), maxBytes);
}

/** Undefined for what JSON cannot say, such as a bigint or a cycle. */
function toText(record: unknown): string | undefined {
  try {
    return JSON.stringify(record);
  } catch {
    return undefined;
  }
}

/** The plain fields of an object, with its texts cut; without `raw`, arrays and what lies deeper. */
function cutFields(fields: object, length: number, levels: number): Record<string, unknown> {
  const cut = Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    if (name === 'raw') return [];
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
