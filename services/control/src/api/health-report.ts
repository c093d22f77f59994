import type { HealthQuery, HealthReport, ReportedKey, ReportedTarget } from '@model-gateway/admin-api';
import type { Rest } from '@model-gateway/catalog';
import { type Followed, keyStates, targetStates } from '../health/target-states.ts';

/** Returns the targets and keys that a query asks for, each with its state; `now` is in milliseconds since 1970. */
export function reportHealth(followed: Followed, query: HealthQuery, now: number): HealthReport {
  const { catalog } = followed;
  const found = query.model === undefined ? catalog.allModels() : [catalog.model(query.model)?.model];
  const models = found.filter(model => model !== undefined);
  const providers = new Set(models.flatMap(({ targets }) => targets.map(({ provider }) => provider)));
  const isWanted = ({ provider, state }: ReportedTarget | ReportedKey) =>
    provider === (query.provider ?? provider) && state === (query.state ?? state);
  const targetsOf = (model: (typeof models)[number]) =>
    targetStates(followed, model)
      .map(({ provider, model, rest }) => ({ provider, model, ...show(rest, now) }))
      .filter(isWanted);
  return {
    models: models
      .map(model => ({ name: model.name, targets: targetsOf(model) }))
      .filter(({ targets }) => targets.length > 0),
    keys: keyStates(followed)
      .filter(({ provider }) => query.model === undefined || providers.has(provider))
      .map(({ provider, key = null, rest }) => ({ provider, key, ...show(rest, now) }))
      .filter(isWanted),
  };
}

/** Renders the state of a target or a key with this rest. */
function show(rest: Rest | undefined, now: number): Omit<ReportedTarget, 'provider' | 'model'> {
  if (!rest) return { state: 'serving' };
  const { reason, error, since, until } = rest;
  return {
    state: now < until ? 'resting' : 'probing',
    reason,
    error,
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
  };
}
