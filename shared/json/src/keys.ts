/** A top-level key that two JSON readers may take for different keys. */
interface AmbiguousKey {
  /** The key, shortened for an error message. */
  key: string;
  /** Predicate of an error message: `names "MODEL", which may be read as "model"`. */
  words: string;
}

/** The fields that a reader of an object knows, prepared for {@link ambiguousKey}. */
export class KnownFields {
  readonly #names: ReadonlySet<string>;
  readonly #byFold: ReadonlyMap<string, string>;

  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
    this.#byFold = new Map([...this.#names].map(name => [foldKey(name), name]));
  }

  /** Returns the known field that a case-insensitive reader takes an unknown key for. */
  lookalike(key: string, folded: string): string | undefined {
    return this.#names.has(key) ? undefined : this.#byFold.get(folded);
  }
}

/**
 * Returns the first ambiguous key of an object's top level: it occurs twice, or differs only in case or
 * blanks from another key or a known field. Go's `encoding/json`, for one, ignores case and takes the last.
 */
export function ambiguousKey(keys: readonly string[], known: KnownFields): AmbiguousKey | undefined {
  const seen = new Map<string, string>();
  for (const key of keys) {
    const folded = foldKey(key);
    const other = seen.get(folded) ?? known.lookalike(key, folded);
    if (other !== undefined) return ambiguous(key, other);
    seen.set(folded, key);
  }
  return undefined;
}

function ambiguous(key: string, other: string): AmbiguousKey {
  const short = shortened(key);
  const quoted = JSON.stringify(short);
  const words =
    key === other
      ? `names ${quoted} twice`
      : `names ${quoted}, which may be read as ${JSON.stringify(shortened(other))}`;
  return { key: short, words };
}

function shortened(key: string): string {
  return key.length > 100 ? `${key.slice(0, 100)}…` : key;
}

/** Approximates Unicode's simple case folding: `ſ` becomes `s`, the Kelvin sign `k`. */
function foldKey(key: string): string {
  return plainKey.test(key) ? key : key.trim().toUpperCase().toLowerCase();
}

const plainKey = /^[a-z0-9_]+$/;
