import { createHash } from 'node:crypto';
import { desc, lt } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import type { Page } from '../database/newest-first.ts';
import { usageRejected } from '../database/tables.ts';

/** The most characters of a rejected record that are stored. */
export const maxRejectedText = 64 * 1024;
/** The most records that are stored: the newest. */
export const mostRejected = 1_000;
/** The time for which they are stored, in milliseconds. */
export const rejectedMs = 30 * 86_400_000;
/** The most characters of the reason that are stored. */
export const maxReason = 1_000;

/** Stores a record that does not fit into the ledger, in ASCII, which every database encoding supports. */
export async function keepRejected(db: Database, value: unknown, reason: string): Promise<void> {
  const whole = inAscii(toText(value));
  const hash = createHash('sha256').update(whole).digest('hex');
  const record = whole.slice(0, maxRejectedText);
  await db
    .insert(usageRejected)
    .values({ reason: inAscii(reason).slice(0, maxReason), record, hash })
    .onConflictDoNothing();
}

/** Removes all but the newest rejected records. */
export async function dropOldRejected(db: Database): Promise<void> {
  const { id } = usageRejected;
  const [first] = await db
    .select({ id })
    .from(usageRejected)
    .orderBy(desc(id))
    .offset(mostRejected - 1)
    .limit(1);
  if (first) await db.delete(usageRejected).where(lt(id, first.id));
}

/** Lists rejected records, newest first. The place of a record is its id. */
export async function listRejected(db: Database, { limit, after }: Page<number>) {
  const { id, at, reason, record } = usageRejected;
  return db
    .select({ id, at, reason, record })
    .from(usageRejected)
    .where(after === undefined ? undefined : lt(id, after))
    .orderBy(desc(id))
    .limit(limit);
}

function toText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // The value is nested too deeply for JSON.stringify.
    return JSON.stringify(cleanJson(value).value);
  }
}

/** Escapes all but printable ASCII as `\uXXXX`. */
function inAscii(text: string): string {
  return text.replace(
    /[^\x20-\x7e]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The most levels of nested JSON that are stored. Deeper ones are omitted. */
export const maxDepth = 32;

/** Replaces NUL and lone surrogates, which a database does not accept. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}

/** Converts a value of any depth to JSON that `jsonb` accepts. */
export function cleanJson(value: unknown, levels = maxDepth): { value: unknown; changed: boolean } {
  let changed = false;
  const clean = (node: unknown, left: number): unknown => {
    if (typeof node === 'string') return cleanOne(node);
    if (typeof node !== 'object' || node === null) return node;
    if (left === 0) {
      changed = true;
      return null;
    }
    if (Array.isArray(node)) return node.map(each => clean(each, left - 1));
    const entries = Object.entries(node);
    return Object.fromEntries(entries.map(([name, each]) => [cleanOne(name), clean(each, left - 1)]));
  };
  const cleanOne = (text: string) => {
    const cleaned = cleanText(text);
    changed ||= cleaned !== text;
    return cleaned;
  };
  return { value: clean(value, levels), changed };
}
