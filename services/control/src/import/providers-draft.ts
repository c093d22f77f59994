import type { ProviderDraft } from './result.ts';

/** An API key: the name of an environment variable, or its value. */
export type Secret = { env: string } | { value: string };

interface RequestedProvider {
  /** The name, if no other provider has it. */
  name: string;
  kind: string;
  baseUrl?: string | undefined;
  options?: Record<string, string> | undefined;
  api?: string[] | undefined;
  apiKey?: Secret | undefined;
  headers?: Record<string, string> | undefined;
}

/** The providers of a result. Those that are alike are one. The values of secrets are kept apart, by environment variables. */
export class ProvidersDraft {
  readonly #prefix: string;
  readonly #byIdentity = new Map<string, ProviderDraft>();
  readonly #names = new Set<string>();
  readonly secrets = new Map<string, string>();
  /** Where the providers are in the source, by their names. */
  readonly origins = new Map<string, string[]>();

  /** `prefix` begins the names of environment variables. `taken` are the names of variables that exist. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  get list(): ProviderDraft[] {
    return [...this.#byIdentity.values()];
  }

  /** Returns the name of the provider. `origin` is where it is in the source. */
  add(wanted: RequestedProvider, origin: string): string {
    const { kind, baseUrl, options = {}, api, apiKey, headers = {} } = wanted;
    const identity = JSON.stringify([
      ...[kind, baseUrl, api, apiKey],
      ...[options, headers].map(each => Object.entries(each).toSorted()),
    ]);
    const known = this.#byIdentity.get(identity);
    if (known) {
      this.origins.get(known.name)?.push(origin);
      return known.name;
    }
    const name = this.#freeName(wanted.name);
    this.#byIdentity.set(identity, {
      ...{ name, kind },
      ...(baseUrl !== undefined && { baseUrl }),
      ...(Object.keys(options).length > 0 && { options }),
      ...(api && { api }),
      ...(apiKey && { apiKey: { env: 'env' in apiKey ? apiKey.env : this.#keep(name, apiKey.value) } }),
      ...(Object.keys(headers).length > 0 && { headers }),
    });
    this.origins.set(name, [origin]);
    return name;
  }

  /** Keeps the value of an environment variable of the source. */
  keepVariable(variable: string, value: string): void {
    this.secrets.set(variable, value);
  }

  #freeName(wanted: string): string {
    const base =
      wanted
        .replace(/\p{Cc}/gu, '')
        .trim()
        .slice(0, 180) || 'provider';
    let name = base;
    for (let number = 2; this.#names.has(name); number++) name = `${base}-${number}`;
    this.#names.add(name);
    return name;
  }

  #keep(name: string, value: string): string {
    const known = [...this.secrets].find(([, secret]) => secret === value);
    if (known) return known[0];
    const base = `${this.#prefix}_${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_API_KEY`;
    let variable = base;
    for (let number = 2; this.secrets.has(variable); number++) variable = `${base}_${number}`;
    this.secrets.set(variable, value);
    return variable;
  }
}
