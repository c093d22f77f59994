import { matchesPattern } from '@model-gateway/canonical';

/** Limits of a token or a project. An absent one does not apply. */
export interface RateLimits {
  /** Requests that may start in any 60 s. */
  requestsPerMinute?: number | undefined;
  /** Tokens of a model, input and output, that requests of any 60 s may use. */
  tokensPerMinute?: number | undefined;
  /** Requests that may run at once. */
  concurrency?: number | undefined;
}

/** Limits of a token or a project, and of models within them. */
export interface Limits extends RateLimits {
  /** By a model's name, or a pattern with one `*`; every pattern that matches applies. */
  models?: Readonly<Record<string, RateLimits>> | undefined;
}

/** One counted set of limits. */
export interface Counted extends RateLimits {
  /** The token, the project or the model within one, as text that is the same in every process. */
  key: string;
}

/** Returns what a request counts for: its token, its project, and the model within each. Empty if nothing limits it. */
export function countedFor(
  token: { id: string; limits?: Limits | undefined },
  project: { name: string; limits?: Limits | undefined },
  model: string,
): Counted[] {
  return [
    ...countedOf(['token', token.id], token.limits, model),
    ...countedOf(['project', project.name], project.limits, model),
  ];
}

/** Returns everything that requests of a token may count for: its token, its project, and the models within each. */
export function allCountedFor(
  token: { id: string; limits?: Limits | undefined },
  project: { name: string; limits?: Limits | undefined },
): Counted[] {
  return [
    ...countedOf(['token', token.id], token.limits),
    ...countedOf(['project', project.name], project.limits),
  ];
}

/** The parts of a key: the kind of the owner, its id or name and, for limits of a model, the pattern. */
type KeyParts = [owner: 'token' | 'project', id: string, pattern?: string];

/** `model`: the model that is asked for; absent for all of them. */
function countedOf([owner, id]: KeyParts, limits: Limits | undefined, model?: string): Counted[] {
  if (!limits) return [];
  const { models = {}, ...own } = limits;
  const ofModels = Object.entries(models).filter(
    ([pattern]) => model === undefined || matchesPattern(model, pattern),
  );
  return [
    ...(Object.keys(own).length > 0 ? [{ key: keyOf(owner, id), ...own }] : []),
    ...ofModels.map(([pattern, ofModel]) => ({ key: keyOf(owner, id, pattern), ...ofModel })),
  ];
}

function keyOf(...parts: KeyParts): string {
  return JSON.stringify(parts);
}

/** Returns the owner of a key, and the pattern of models within it if there is one. */
export function partsOfKey(key: string): { owner: 'token' | 'project'; pattern: string | undefined } {
  const [owner, , pattern] = JSON.parse(key) as KeyParts;
  return { owner, pattern };
}

/** Names the owner of a key for an error message: `token`, or `project for the model 'gpt-*'`. */
export function ownerOf(key: string): string {
  const { owner, pattern } = partsOfKey(key);
  return pattern === undefined ? owner : `${owner} for the model '${pattern}'`;
}
