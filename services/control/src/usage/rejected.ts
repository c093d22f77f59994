import { createHash } from 'node:crypto';
import { desc, lt } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { usageRejected } from '../database/tables.ts';

/** The most characters of a rejected record that are kept. */
export const maxRejectedText = 1_000_000;
/** The most characters of the reason that are kept. */
export const maxReason = 1_000;

/** Keeps a record that the ledger cannot hold, in ASCII, which every database takes. */
export async function keepRejected(db: Database, given: unknown, reason: string): Promise<void> {
  const whole = inAscii(toText(given));
  const hash = createHash('sha256').update(whole).digest('hex');
  const record = whole.slice(0, maxRejectedText);
  await db
    .insert(usageRejected)
    .values({ reason: inAscii(reason).slice(0, maxReason), record, hash })
    .onConflictDoNothing();
}

/** Rejected records, newest first; `before` is the id at which the page before ended. */
export async function listRejected(
  db: Database,
  { limit, before }: { limit: number; before?: number | undefined },
) {
  const { id, at, reason, record } = usageRejected;
  return db
    .select({ id, at, reason, record })
    .from(usageRejected)
    .where(before === undefined ? undefined : lt(id, before))
    .orderBy(desc(id))
    .limit(limit);
}

function toText(given: unknown): string {
  try {
    return JSON.stringify(given);
  } catch {
    // It is nested too deep to be written.
    return JSON.stringify(cleanJson(given).value);
  }
}

/** JSON escapes control characters itself. */
function inAscii(text: string): string {
  return text.replace(
    /[^\x20-\x7e]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The most levels of nested JSON that are kept; deeper ones are left out. */
export const maxDepth = 32;

/** Text that a database takes: without NUL, and without a half of a surrogate pair. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** JSON that `jsonb` takes, however deep what is given is nested. */
export function cleanJson(value: unknown, levels = maxDepth): { value: unknown; changed: boolean } {
  let changed = false;
  const clean = (given: unknown, left: number): unknown => {
    if (typeof given === 'string') return cleanOne(given);
    if (typeof given !== 'object' || given === null) return given;
    if (left === 0) {
      changed = true;
      return null;
    }
    if (Array.isArray(given)) return given.map(each => clean(each, left - 1));
    const entries = Object.entries(given);
    return Object.fromEntries(entries.map(([name, each]) => [cleanOne(name), clean(each, left - 1)]));
  };
  const cleanOne = (text: string) => {
    const cleaned = cleanText(text);
    changed ||= cleaned !== text;
    return cleaned;
  };
  return { value: clean(value, levels), changed };
}
