import { createHash } from 'node:crypto';
import { isJsonObject } from '@model-gateway/json';
import { cleanJson, cleanText, maxDepth } from './rejected.ts';

/** The most characters of a text in the ledger. An index entry has at most 2,704 bytes. */
export const maxLedgerText = 512;
/** The most characters of an upstream's usage object as JSON. A larger one is omitted. */
export const maxRawText = 64 * 1024;
/** The most tags of a record. */
const maxTexts = 50;
/** The last millisecond of the year 9999, the latest time that every client can represent. */
const lastMs = 253_402_300_799_999;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Adjusts the values of a record so that the ledger can store them, and collects the names of the changed fields. */
export class Fit {
  readonly changed: string[] = [];

  /** Returns well-formed text without NUL, of at most `maxLedgerText` characters. */
  text(name: string, value: unknown): string {
    const text = typeof value === 'string' ? value : JSON.stringify(cleanJson(value ?? null).value);
    return this.#note(name, value, cut(cleanText(text)));
  }

  /** Returns {@link text}, or null if the value is absent. */
  optionalText(name: string, value: unknown): string | null {
    return value === undefined || value === null ? null : this.text(name, value);
  }

  /** Returns a number from 0 to `most`; 0 if the value is not a number. */
  number(name: string, value: unknown, most: number): number {
    const number = typeof value === 'number' && !Number.isNaN(value) ? value : 0;
    return this.#note(name, value, Math.min(Math.max(number, 0), most));
  }

  /** Returns an integer from 0 to `most`. */
  count(name: string, value: unknown, most = Number.MAX_SAFE_INTEGER): number {
    return this.#note(name, value, Math.round(this.number(name, value, most)));
  }

  /** Returns a duration in whole milliseconds. Rounding does not count as a change. */
  ms(name: string, value: unknown): number {
    return Math.round(this.number(name, value, 2 ** 31 - 1));
  }

  /** True only for `true`. */
  flag(name: string, value: unknown): boolean {
    return this.#note(name, value, value === true);
  }

  /** Parses a time in milliseconds since 1970; `now` if the value is not one. */
  time(name: string, value: unknown, now: number): Date {
    const ms = Number.isFinite(value) ? (value as number) : now;
    return new Date(this.#note(name, value, Math.trunc(Math.min(Math.max(ms, 0), lastMs))));
  }

  /** Returns the UUID, or one that is derived from the hash of a text that is not a UUID. */
  uuid(name: string, value: string): string {
    const lower = value.toLowerCase();
    if (uuid.test(lower)) return lower;
    const hash = createHash('sha256').update(value.toWellFormed()).digest('hex');
    // Version 8: custom UUIDs (RFC 9562).
    const derived = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
    return this.#note(name, value, derived);
  }

  /** Returns JSON that `jsonb` accepts; null if it is too large. */
  json(name: string, value: unknown): unknown {
    if (value === undefined || value === null) return null;
    if (isClean(value)) return value;
    const cleaned = cleanJson(value);
    const fits = JSON.stringify(cleaned.value).length <= maxRawText;
    if (cleaned.changed || !fits) this.#noteChange(name);
    return fits ? cleaned.value : null;
  }

  /** Returns the texts of an object by name, at most `maxTexts` of them; null if it has none. */
  texts(name: string, value: unknown): Record<string, string> | null {
    if (!isJsonObject(value)) return this.#note(name, value ?? null, null);
    const all = Object.entries(value);
    if (all.length > maxTexts) this.#noteChange(name);
    const fitted = all
      .slice(0, maxTexts)
      .map(([key, text]) => [this.#note(name, key, cut(cleanText(key))), this.text(name, text)]);
    return fitted.length > 0 ? Object.fromEntries(fitted) : null;
  }

  #note<Value>(name: string, original: unknown, fitted: Value): Value {
    if (original !== fitted) this.#noteChange(name);
    return fitted;
  }

  #noteChange(name: string): void {
    if (!this.changed.includes(name)) this.changed.push(name);
  }
}

/** What JSON writes for NUL and for a surrogate without its other half. */
const unstorable = /\\u(?:0000|d[89a-f])/;

/** True if `jsonb` accepts the value as it is. False for some that it would accept. */
function isClean(value: unknown): boolean {
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch {
    // It is nested too deeply.
    return false;
  }
  if (text.length > maxRawText || unstorable.test(text)) return false;
  // A value is at most as deep as it has brackets.
  let brackets = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code === 0x7b || code === 0x5b) && ++brackets > maxDepth) return false;
  }
  return true;
}

function cut(text: string): string {
  return text.length <= maxLedgerText ? text : `${text.slice(0, maxLedgerText - 1).toWellFormed()}…`;
}
