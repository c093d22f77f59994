import { createHash } from 'node:crypto';

const allowedId = /^[a-zA-Z0-9_.:-]{1,64}$/;
const shortId = /^[a-zA-Z0-9]{9}$/;

/** Returns a call id that the model takes: an id that it does not take is always replaced by the same hash. */
export function callId(id: string, short: boolean): string {
  if (short) return shortId.test(id) ? id : hash(id).slice(0, 9);
  return allowedId.test(id) ? id : `call_${hash(id)}`;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** The longest name of a document, in characters. */
const maxName = 200;

/** Makes names of documents that Converse takes, each unique within a request. */
export class DocumentNames {
  readonly #taken = new Set<string>();
  /** The number that the next document of the same name gets. */
  readonly #next = new Map<string, number>();

  /** Returns the name with only letters, digits, single spaces, hyphens, parentheses and brackets. */
  of(name: string | undefined): string {
    const base =
      (name ?? '')
        .replace(/\.\w{1,5}$/, '')
        .replace(/[^a-zA-Z0-9\s()[\]-]/g, ' ')
        .replace(/\s+/g, ' ')
        .trim()
        .slice(0, maxName)
        .trim() || 'document';
    let number = this.#next.get(base) ?? 1;
    while (this.#taken.has(numbered(base, number))) number++;
    const unique = numbered(base, number);
    this.#next.set(base, number + 1);
    this.#taken.add(unique);
    return unique;
  }
}

function numbered(name: string, number: number): string {
  return number === 1 ? name : `${name} ${number}`;
}
