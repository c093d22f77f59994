/** The outcome of a value of the source that the result does not hold as it was. */
export type Outcome = 'changed' | 'lost';

/** A value that is carried over with another meaning, or not at all. */
export interface Remark {
  /** The path of the value in the source, such as `model_list[3].litellm_params.api_key`. */
  path: string;
  outcome: Outcome;
  reason: string;
}

type Step = string | number;

interface Root {
  part: Part;
  /** True if values that say nothing, such as null, false and an empty text, need no account. */
  skipsEmpty: boolean;
}

/**
 * Accounts for every value of a source. A value that is read counts as carried over. Every other one is in the remarks, also
 * one that the importer does not know.
 */
export class Account {
  readonly #roots: Root[] = [];
  readonly #read = new Set<string>();
  readonly #lost = new Set<string>();
  readonly #remarks = new Map<string, Remark>();

  /** Adds a document of the source. Its name is the first step of its paths, if it is not empty. */
  root(name: string, value: unknown, { skipsEmpty = false } = {}): Part {
    const part = new Part(this, name === '' ? [] : [name], value);
    this.#roots.push({ part, skipsEmpty });
    return part;
  }

  read(path: readonly Step[]): void {
    this.#read.add(textOf(path));
  }

  /** `hides`: remarks on what the value holds say nothing more. */
  remark(steps: readonly Step[], outcome: Outcome, reason: string, hides = outcome === 'lost'): void {
    const path = textOf(steps);
    this.#remarks.set(`${path}\n${reason}`, { path, outcome, reason });
    if (hides) this.#lost.add(path);
    else this.#read.add(path);
  }

  /** Returns all remarks. `reasonOf` explains values that were not read; it returns undefined for those that are not known. */
  close(reasonOf: (path: string) => string | undefined): Remark[] {
    for (const { part, skipsEmpty } of this.#roots) this.#visit(part, skipsEmpty, reasonOf);
    const lost = [...this.#lost];
    const isWithin = (path: string) =>
      lost.some(outer => path.startsWith(`${outer}.`) || path.startsWith(`${outer}[`));
    return [...this.#remarks.values()].filter(({ path }) => !isWithin(path));
  }

  #visit(part: Part, skipsEmpty: boolean, reasonOf: (path: string) => string | undefined): void {
    const path = textOf(part.path);
    if (this.#lost.has(path)) return;
    const fields = part.fields();
    for (const field of fields) this.#visit(field, skipsEmpty, reasonOf);
    if (fields.length > 0 || this.#read.has(path) || (skipsEmpty && isEmpty(part.value))) return;
    this.remark(part.path, 'lost', reasonOf(path) ?? 'The importer does not know this field.');
  }
}

/** A value of a source, with its path. Reading a value accounts for it. */
export class Part {
  readonly #account: Account;
  readonly path: readonly Step[];
  readonly value: unknown;

  constructor(account: Account, path: readonly Step[], value: unknown) {
    this.#account = account;
    this.path = path;
    this.value = value;
  }

  get where(): string {
    return textOf(this.path);
  }

  get isPresent(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  /** Returns a field; one without a value if it is absent. */
  get(key: Step): Part {
    const found = isObject(this.value) && Object.hasOwn(this.value, key);
    const value = found ? (this.value as Record<Step, unknown>)[key] : undefined;
    return new Part(this.#account, [...this.path, key], value);
  }

  /** Returns the fields of a mapping, or the entries of a list. */
  fields(): Part[] {
    if (!isObject(this.value)) return [];
    const keys = Array.isArray(this.value) ? [...this.value.keys()] : Object.keys(this.value);
    return keys.map(key => this.get(key));
  }

  /** The last step of the path. */
  get key(): string {
    return String(this.path.at(-1) ?? '');
  }

  /** Returns the entries of a list; none if it is absent. */
  entries(): Part[] {
    if (!this.isPresent) return this.#done([]);
    if (!Array.isArray(this.value) && !isEmpty(this.value)) return this.#unfit('a list', []);
    const entries = this.fields();
    return entries.length > 0 ? entries : this.#done([]);
  }

  /** Returns the fields of a mapping; none if it is absent. */
  mapping(): Part[] {
    if (!this.isPresent) return this.#done([]);
    const fields = this.fields();
    if (!isObject(this.value) || (Array.isArray(this.value) && fields.length > 0))
      return this.#unfit('a mapping', []);
    return fields.length > 0 ? fields : this.#done([]);
  }

  text(): string | undefined {
    const { value } = this;
    if (!this.isPresent) return this.#done(undefined);
    if (typeof value === 'string') return this.#done(value);
    if (typeof value === 'number' || typeof value === 'boolean') return this.#done(String(value));
    return this.#unfit('a text', undefined);
  }

  number(): number | undefined {
    const { value } = this;
    if (!this.isPresent) return this.#done(undefined);
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof number === 'number' && Number.isFinite(number)) return this.#done(number);
    return this.#unfit('a number', undefined);
  }

  flag(): boolean | undefined {
    const { value } = this;
    if (!this.isPresent) return this.#done(undefined);
    const known = flags.get(typeof value === 'string' ? value.toLowerCase() : value);
    return known === undefined ? this.#unfit('true or false', undefined) : this.#done(known);
  }

  texts(): string[] {
    return this.entries().flatMap(entry => entry.text() ?? []);
  }

  /** States that the value, with all that it holds, is not carried over. */
  lose(reason: string): undefined {
    this.#account.remark(this.path, 'lost', reason);
  }

  /** States that what was made of the value is not carried over. Remarks on what it holds may say why. */
  leaveOut(reason: string): void {
    this.#account.remark(this.path, 'lost', reason, false);
  }

  /** States that the value is carried over with another meaning. */
  change(reason: string): void {
    this.#account.remark(this.path, 'changed', reason);
  }

  #done<Value>(value: Value): Value {
    this.#account.read(this.path);
    return value;
  }

  #unfit<Value>(wanted: string, instead: Value): Value {
    this.lose(`The value is not ${wanted}.`);
    return instead;
  }
}

const flags = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  [1, true],
  [0, false],
  ['true', true],
  ['false', false],
  ['t', true],
  ['f', false],
]);

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Date);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (isObject(value)) return Object.keys(value).length === 0;
  return value === '' || value === false || value === '{}' || value === '[]';
}

/** Writes `['keys', 3, 'spend']` as `keys[3].spend`. */
function textOf(path: readonly Step[]): string {
  const steps = path.map(step => {
    if (/^\d+$/.test(String(step))) return `[${step}]`;
    return /^[A-Za-z_][\w-]*$/.test(String(step)) ? `.${step}` : `[${JSON.stringify(step)}]`;
  });
  return steps.join('').replace(/^\./, '');
}
