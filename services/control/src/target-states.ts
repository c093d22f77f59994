import {
  type Catalog,
  keyName,
  type ModelRecord,
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
  return followed.catalog.providers().flatMap(({ name: provider }) => {
    const { key, rest } = keyOf(followed, provider);
    return key || rest ? [{ provider, key, rest }] : [];
  });
}

function stateOf(followed: Followed, { provider, model }: Target): TargetState {
  const { key, rest } = keyOf(followed, provider);
  const own = model.includes('*') ? undefined : followed.rests.get(restId({ provider, key, model }));
  return { provider, model, pattern: model, rest: later(rest, own) };
}

/** Returns the states of a target's names that rest, for a target with a `*`. */
function restingNames(followed: Followed, model: ModelRecord, target: Target): TargetState[] {
  const { provider, model: pattern } = target;
  if (!pattern.includes('*')) return [];
  const { key, rest: restOfKey } = keyOf(followed, provider);
  return [...followed.rests.values()].flatMap(rest => {
    if (rest.provider !== provider || rest.key !== key || rest.model === undefined) return [];
    const match = matchOf(pattern, rest.model);
    if (match === undefined || !serves(followed.catalog, model, match)) return [];
    return [{ provider, model: rest.model, pattern, rest: later(restOfKey, rest) }];
  });
}

/** Returns the API key of a provider. */
function keyOf({ catalog, rests }: Followed, provider: string): Pick<KeyState, 'key' | 'rest'> {
  const record = catalog.provider(provider);
  const key = record && keyName(record);
  return { key, rest: rests.get(restId({ provider, key })) };
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
