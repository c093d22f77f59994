/** A top-level key that one reader of JSON may take for another key than the next reader does. */
export interface AmbiguousKey {
  /** Shortened to what an error can show. */
  key: string;
  /** Follows a noun: `names "MODEL", which may be read as "model"`. */
  words: string;
}

/** The fields that a reader of an object looks at, prepared for {@link ambiguousKey}. */
export class KnownFields {
  readonly #names: ReadonlySet<string>;
  readonly #byFold: ReadonlyMap<string, string>;

  constructor(names: Iterable<string>) {
    this.#names = new Set(names);
    this.#byFold = new Map([...this.#names].map(name => [foldKey(name), name]));
  }

  /** The field that a key is not, but that a reader without regard to case takes it for. */
  lookalike(key: string, folded: string): string | undefined {
    return this.#names.has(key) ? undefined : this.#byFold.get(folded);
  }
}

/**
 * The first key that is ambiguous among the top-level keys of an object: it occurs twice, or it differs only in case or
 * blanks from another key or from a field that the reader knows. Go's `encoding/json`, for one, matches names in any case
 * and takes the last.
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
  const shown = shortened(key);
  const quoted = JSON.stringify(shown);
  const words =
    key === other
      ? `names ${quoted} twice`
      : `names ${quoted}, which may be read as ${JSON.stringify(shortened(other))}`;
  return { key: shown, words };
}

function shortened(key: string): string {
  return key.length > 100 ? `${key.slice(0, 100)}…` : key;
}

/** Approximates Unicode's simple case folding: `ſ` is an `s`, and the Kelvin sign a `k`. */
function foldKey(key: string): string {
  return plainKey.test(key) ? key : key.trim().toUpperCase().toLowerCase();
}

const plainKey = /^[a-z0-9_]+$/;
