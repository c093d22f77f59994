import {
  type Catalog,
  type ModelRecord,
  keysOf as namesOfKeys,
  type Rest,
  restId,
  type Target,
} from '@model-gateway/catalog';

/** The catalog, and the rests that no success has ended, by their ids. */
export interface Followed {
  catalog: Catalog;
  rests: ReadonlyMap<string, Rest>;
}

/** A target, and the rest that keeps requests from it. */
export interface TargetState {
  provider: string;
  /** The model's name at the provider. */
  model: string;
  /** That name in the catalog, which may hold a `*`. */
  pattern: string;
  rest: Rest | undefined;
}

/** A provider's API key, and the rest that keeps requests from all its targets. */
export interface KeyState {
  provider: string;
  /** Undefined for a provider without one. */
  key: string | undefined;
  rest: Rest | undefined;
}

/** Returns the state of each target of a model; after a target with a `*`, those of its names that rest. */
export function targetStates(followed: Followed, model: ModelRecord): TargetState[] {
  return model.targets.flatMap(target => [
    stateOf(followed, target),
    ...restingNames(followed, model, target),
  ]);
}

/** Returns the state of each API key, and of providers without one that refused a request's credential. */
export function keyStates(followed: Followed): KeyState[] {
  return followed.catalog
    .providers()
    .flatMap(({ name: provider }) => keysOf(followed, provider).filter(({ key, rest }) => key || rest));
}

function stateOf(followed: Followed, { provider, model }: Target): TargetState {
  const states = keysOf(followed, provider).map(({ key, rest }) => {
    const own = model.includes('*') ? undefined : followed.rests.get(restId({ provider, key, model }));
    return later(rest, own);
  });
  return { provider, model, pattern: model, rest: earliest(states) };
}

/** Returns the states of a target's names that rest, for a target with a `*`. */
function restingNames(followed: Followed, model: ModelRecord, target: Target): TargetState[] {
  const { provider, model: pattern } = target;
  if (!pattern.includes('*')) return [];
  const keys = keysOf(followed, provider);
  const names = new Set(
    [...followed.rests.values()].flatMap(rest =>
      rest.provider === provider && keys.some(({ key }) => key === rest.key) ? (rest.model ?? []) : [],
    ),
  );
  return [...names].flatMap(name => {
    const match = matchOf(pattern, name);
    if (match === undefined || !serves(followed.catalog, model, match)) return [];
    const own = keys.map(({ key, rest }) =>
      later(rest, followed.rests.get(restId({ provider, key, model: name }))),
    );
    const rest = earliest(own);
    return rest ? [{ provider, model: name, pattern, rest }] : [];
  });
}

/** Returns the API keys of a provider; one that is undefined for a provider without any. */
function keysOf({ catalog, rests }: Followed, provider: string): KeyState[] {
  const record = catalog.provider(provider);
  const names = record ? namesOfKeys(record).map(({ name }) => name) : [];
  const keys = names.length > 0 ? names : [undefined];
  return keys.map(key => ({ provider, key, rest: rests.get(restId({ provider, key })) }));
}

/** True if a model's name with this text for its `*` belongs to no other model. */
function serves(catalog: Catalog, model: ModelRecord, match: string): boolean {
  return catalog.model(model.name.replace('*', () => match))?.model === model;
}

/** Returns the text for which the pattern's `*` stands in a name; undefined if the name does not match. */
function matchOf(pattern: string, name: string): string | undefined {
  const [before = '', after = ''] = pattern.split('*');
  const fits = name.length >= pattern.length && name.startsWith(before) && name.endsWith(after);
  return fits ? name.slice(before.length, name.length - after.length) : undefined;
}

/** Returns the rest that ends last. */
function later(one: Rest | undefined, other: Rest | undefined): Rest | undefined {
  if (!one || !other) return one ?? other;
  return other.until > one.until ? other : one;
}

/** Returns the rest that ends first; undefined if one of the keys does not rest. */
function earliest(rests: readonly (Rest | undefined)[]): Rest | undefined {
  if (rests.includes(undefined)) return undefined;
  return (rests as Rest[]).toSorted((one, other) => one.until - other.until)[0];
}
