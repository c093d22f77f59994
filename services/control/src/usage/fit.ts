import { createHash } from 'node:crypto';
import { cleanJson, cleanText } from './rejected.ts';

/** The most characters of a text in the ledger; an index takes no more than 2,704 bytes. */
export const maxLedgerText = 512;
/** The most characters of an upstream's own usage object as JSON; a larger one is left out. */
export const maxRawText = 64 * 1024;
/** The last millisecond of the year 9999, which every reader of the ledger can write. */
const lastMs = 253_402_300_799_999;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Makes the values of a record such as the ledger can hold, and notes which of them it had to change. */
export class Fit {
  readonly changed: string[] = [];

  /** Well-formed text without NUL, of at most `maxLedgerText` characters. */
  text(name: string, value: unknown): string {
    const given = typeof value === 'string' ? value : JSON.stringify(cleanJson(value ?? null).value);
    return this.#note(name, value, cut(cleanText(given)));
  }

  /** A text that may be absent. */
  optionalText(name: string, value: unknown): string | null {
    return value === undefined || value === null ? null : this.text(name, value);
  }

  /** A number from 0 to `most`; 0 for what is no number. */
  number(name: string, value: unknown, most: number): number {
    const given = typeof value === 'number' && !Number.isNaN(value) ? value : 0;
    return this.#note(name, value, Math.min(Math.max(given, 0), most));
  }

  /** A whole number from 0 to `most`. */
  count(name: string, value: unknown, most = Number.MAX_SAFE_INTEGER): number {
    return this.#note(name, value, Math.round(this.number(name, value, most)));
  }

  /** A duration in whole milliseconds. That it is rounded is no change. */
  ms(name: string, value: unknown): number {
    return Math.round(this.number(name, value, 2 ** 31 - 1));
  }

  /** True for `true` alone. */
  flag(name: string, value: unknown): boolean {
    return this.#note(name, value, value === true);
  }

  /** A time, given in milliseconds since 1970; `now` for what is none. */
  time(name: string, value: unknown, now: number): Date {
    const given = Number.isFinite(value) ? (value as number) : now;
    return new Date(this.#note(name, value, Math.trunc(Math.min(Math.max(given, 0), lastMs))));
  }

  /** A UUID; one that is made of the text if it is none, always the same. */
  uuid(name: string, value: string): string {
    const lower = value.toLowerCase();
    if (uuid.test(lower)) return lower;
    const hash = createHash('sha256').update(value.toWellFormed()).digest('hex');
    // Version 8: a UUID of one's own making.
    const made = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
    return this.#note(name, value, made);
  }

  /** JSON that `jsonb` takes; null where it is too large. */
  json(name: string, value: unknown): unknown {
    if (value === undefined || value === null) return null;
    const cleaned = cleanJson(value);
    const fits = JSON.stringify(cleaned.value).length <= maxRawText;
    if (cleaned.changed || !fits) this.#noteChange(name);
    return fits ? cleaned.value : null;
  }

  #note<Value>(name: string, given: unknown, fitted: Value): Value {
    if (given !== fitted) this.#noteChange(name);
    return fitted;
  }

  #noteChange(name: string): void {
    if (!this.changed.includes(name)) this.changed.push(name);
  }
}

function cut(text: string): string {
  return text.length <= maxLedgerText ? text : `${text.slice(0, maxLedgerText - 1).toWellFormed()}…`;
}
