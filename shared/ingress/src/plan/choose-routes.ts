import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError, type Route } from '@model-gateway/canonical';
import {
  type Catalog,
  type KeyShare,
  type Model,
  restId,
  type Target,
  takesNoLimit,
} from '@model-gateway/catalog';
import type { GatewayRequest } from '@model-gateway/formats/client';
import type { AnswerKind } from '../attempts/running-attempt.ts';
import type { ClientBody } from '../form/received.ts';
import type { TargetHealth } from '../health/target-health.ts';

/** A route, with the properties of its target that decide when it is taken. */
export interface Candidate extends Pick<Target, 'weight' | 'price'> {
  route: Route;
  /** The API keys of its provider, if it has several. */
  keys?: readonly KeyShare[];
}

export interface ChooseOptions {
  strategy: Model['strategy'];
  /** The kind of answer whose times `fastest` compares. */
  kind: AnswerKind;
  health: TargetHealth;
  /** In milliseconds since 1970. */
  now: number;
  /** Returns a number in [0, 1). */
  random: () => number;
  /** Returns a text that all turns of a conversation share; undefined if its turns may go anywhere. */
  conversation?: () => string | undefined;
}

/** A target of a conversation is left if it has this many times as many requests or milliseconds as the best one, and some more. */
const clearlyWorse = 2;
const spareRequests = 8;
const spareMs = 200;

/** Returns routes in the order of attempts. Of the targets that rest, the one whose rest ends first is the last resort. */
export function chooseRoutes(candidates: readonly Candidate[], options: ChooseOptions): Route[] {
  const { health, now } = options;
  const open = candidates.filter(({ route }) => health.isOpen(route, now));
  const resting = candidates.filter(candidate => !open.includes(candidate));
  const chosen = open.length > 1 ? ordered(open, options) : open;
  const last = sortedBy(resting, ({ route }) => health.restsUntil(route));
  return [...chosen, ...last.slice(0, 1)].map(({ route }) => route);
}

function ordered(candidates: readonly Candidate[], options: ChooseOptions): readonly Candidate[] {
  const { health, kind, now, random, strategy } = options;
  switch (strategy) {
    case 'ordered':
      return candidates;
    case undefined:
    case 'weighted': {
      if (candidates.every(({ weight = 0 }) => weight === 0)) return candidates;
      const requests = ({ route, weight = 0 }: Candidate) => health.inFlight(route) / weight;
      const spare = spareRequests / mean(candidates.map(({ weight = 0 }) => weight));
      return unlessWorse(first(candidates, draw(candidates, random)), requests, spare, options, weightOf);
    }
    case 'least-busy': {
      const requests = ({ route }: Candidate) => health.inFlight(route);
      return unlessWorse(sortedBy(candidates, requests), requests, spareRequests, options);
    }
    case 'fastest': {
      const ms = ({ route }: Candidate) => health.firstMs(route, kind, now);
      // A target that was not measured lately is no reason to leave another one.
      const known = (candidate: Candidate) => ms(candidate) || Number.POSITIVE_INFINITY;
      return unlessWorse(fasterOfTwo(candidates, ms, random), known, spareMs, options);
    }
    case 'cheapest': {
      const conversation = options.conversation?.();
      const among = conversation === undefined ? candidates : byConversation(candidates, conversation);
      return sortedBy(
        among,
        ({ price }) => (price?.input ?? Number.POSITIVE_INFINITY) + (price?.output ?? 0),
      );
    }
  }
}

/**
 * Puts the target of a conversation first, unless it is clearly worse than the best one. `candidates` are in the order
 * of a request without a conversation.
 */
function unlessWorse(
  candidates: readonly Candidate[],
  size: (candidate: Candidate) => number,
  spare: number,
  { conversation }: ChooseOptions,
  share?: (candidate: Candidate) => number,
): readonly Candidate[] {
  const named = conversation?.();
  if (named === undefined) return candidates;
  const [own] = byConversation(candidates, named, share) as [Candidate];
  const best = Math.min(...candidates.map(size).filter(Number.isFinite));
  const isWorse = Number.isFinite(size(own)) && size(own) > clearlyWorse * best + spare;
  return isWorse ? candidates : first(candidates, candidates.indexOf(own));
}

const weightOf = ({ weight = 0 }: Candidate) => weight;

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

/**
 * Orders targets by a conversation, so that all its turns have the same order at every ingress, and a target that comes or
 * goes moves no other conversation. Each target is first for its share of the conversations: weighted rendezvous hashing.
 */
function byConversation(
  candidates: readonly Candidate[],
  conversation: string,
  share: (candidate: Candidate) => number = () => 1,
): readonly Candidate[] {
  return sortedBy(candidates, candidate => {
    const digest = hash('sha256', `${restId(candidate.route)}\n${conversation}`, 'buffer');
    const drawn = (digest.readUIntBE(0, 6) + 1) / 2 ** 48;
    return -Math.log(drawn) / share(candidate);
  });
}

/** Puts the faster of two random targets first, so that many processes do not all choose the same; the others follow by speed. */
function fasterOfTwo(
  candidates: readonly Candidate[],
  ms: (candidate: Candidate) => number,
  random: () => number,
): readonly Candidate[] {
  const one = Math.floor(random() * candidates.length);
  const other = (one + 1 + Math.floor(random() * (candidates.length - 1))) % candidates.length;
  const faster = ms(candidates[other] as Candidate) < ms(candidates[one] as Candidate) ? other : one;
  const [chosen, ...others] = first(candidates, faster);
  return [chosen as Candidate, ...sortedBy(others, ms)];
}

/** Sorts by a number, the smallest first; equals keep their order. */
function sortedBy(
  candidates: readonly Candidate[],
  size: (candidate: Candidate) => number,
): readonly Candidate[] {
  const sized = candidates.map(candidate => ({ candidate, at: size(candidate) }));
  // Infinity minus itself is not a number.
  return sized.sort((a, b) => (a.at === b.at ? 0 : a.at - b.at)).map(({ candidate }) => candidate);
}

/** Returns the index of the target to try first, by weight. */
function draw(candidates: readonly Candidate[], random: () => number): number {
  const total = candidates.reduce((sum, { weight = 0 }) => sum + weight, 0);
  let left = random() * total;
  let drawn = 0;
  for (const [at, { weight = 0 }] of candidates.entries()) {
    if (weight === 0) continue;
    drawn = at;
    left -= weight;
    if (left < 0) break;
  }
  return drawn;
}

/** Moves one to the beginning. */
function first(candidates: readonly Candidate[], at: number): readonly Candidate[] {
  if (at === 0) return candidates;
  return [candidates[at] as Candidate, ...candidates.slice(0, at), ...candidates.slice(at + 1)];
}

/** Returns the candidates that accept a verbatim request with -1 for no token limit. @throws GatewayError if there is none */
export function withoutLimit(candidates: readonly Candidate[], field: string, catalog: Catalog): Candidate[] {
  const unlimited = candidates.filter(({ route }) => {
    const provider = catalog.provider(route.provider);
    return route.body === 'verbatim' && provider !== undefined && takesNoLimit(provider);
  });
  if (unlimited.length > 0) return unlimited;
  const message = `Invalid '${field}': expected a value of at least 1, but got -1. This model does not accept -1 as unlimited: omit '${field}'.`;
  throw new GatewayError('invalid-request', message, { param: field, code: 'integer_below_min_value' });
}

/** The most API keys of one target that a request tries. */
const mostKeys = 5;

/**
 * Returns routes in the order of attempts as {@link chooseRoutes} does. A target whose provider has several API keys has a route for
 * each, one after the other: by their weights, and those that rest last.
 */
export function chooseRoutesAndKeys(candidates: readonly Candidate[], options: ChooseOptions): Route[] {
  if (candidates.every(({ keys }) => keys === undefined)) return chooseRoutes(candidates, options);
  const others = new Map<Route, Route[]>();
  const byFirstKey = candidates.map(candidate => {
    const [route, ...rest] = keyRoutes(candidate, options);
    if (!route) return candidate;
    others.set(route, rest);
    return { ...candidate, route };
  });
  const chosen =
    byFirstKey.length > 1 ? chooseRoutes(byFirstKey, options) : byFirstKey.map(({ route }) => route);
  return chosen.flatMap(route => [route, ...(others.get(route) ?? [])]);
}

function keyRoutes({ route, keys }: Candidate, options: ChooseOptions): Route[] {
  if (!keys) return [route];
  const byKey = keys.map(({ name, weight }) => ({ route: { ...route, key: name }, weight }));
  return chooseRoutes(byKey, { ...options, strategy: 'weighted' }).slice(0, mostKeys);
}

/** Headers by which clients name their session. */
const sessionHeaders = ['x-session-id', 'session-id', 'session_id', 'x-claude-code-session-id'] as const;
/** Size of a body in bytes, about 1,024 tokens, below which providers do not cache its beginning. */
export const smallestCached = 4_096;
/** The most characters of a text, and the most items of a list, that tell conversations apart. */
const comparedText = 2_048;
const comparedItems = 16;

/**
 * Returns a text that is the same for all turns of a conversation: the client's own key for the provider's cache, its
 * session id, or the first turn of the user. Undefined if no provider would cache anything of the request.
 */
export function conversationOf(
  request: GatewayRequest,
  headers: IncomingHttpHeaders,
  body: ClientBody,
): string | undefined {
  if (request.type !== 'generate') return undefined;
  const named = request.cacheKey || sessionHeaders.map(name => headers[name]).find(Boolean);
  if (named) return String(named);
  const bytes = body.type === 'text' ? body.text.length : 0;
  return bytes < smallestCached ? undefined : JSON.stringify(request.firstTurn?.(), shortened);
}

function shortened(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, comparedText);
  return Array.isArray(value) ? value.slice(0, comparedItems) : value;
}
