import type { Route } from '@model-gateway/canonical';
import { type Candidate, type ChooseOptions, chooseRoutes } from './choose-routes.ts';

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
