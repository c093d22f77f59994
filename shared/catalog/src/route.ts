import type { Operation, Route, TargetRef, Timeouts } from '@model-gateway/canonical';
import { formatFor, type RouteQuery, takesText } from './format.ts';
import type { ProviderRecord } from './record.ts';
import type { Model } from './schema.ts';

/** Returns the name of a provider's credential; undefined if it needs none. */
export function keyName({ apiKey }: Pick<ProviderRecord, 'apiKey'>): string | undefined {
  return apiKey && 'default';
}

/** What a route takes from its model. */
type RouteModel = Pick<Model, 'timeouts' | 'drop' | 'limits'>;

/** Returns the route of a request to a target; undefined if the provider does not support the operation. */
export function routeTo(
  provider: ProviderRecord,
  target: TargetRef,
  model: RouteModel,
  query: RouteQuery & { form?: boolean },
): Route | undefined {
  const format = formatFor(provider, query);
  if (!format) return undefined;
  const ownBody = query.form ? 'form' : 'verbatim';
  const key = keyName(provider);
  return {
    provider: target.provider,
    model: target.model,
    pool: provider.pool ?? 'default',
    ...(key && { key }),
    format,
    body: takesText(provider, query) ? ownBody : 'canonical',
    version: provider.version,
    timeouts: timeoutsFor(model, query.operation),
    drop: model.drop,
    limits: model.limits,
  };
}

/** Defaults by operation. An image may send nothing before it is complete, nor between two partial images. */
const defaults: Partial<Record<Operation, Omit<Timeouts, 'total'>>> = {
  image: { firstToken: 300_000, idle: 300_000 },
};
const usual = { firstToken: 60_000, idle: 60_000 };

/** Returns the timeouts of a model for an operation. */
export function timeoutsFor({ timeouts }: Pick<Model, 'timeouts'>, operation: Operation): Timeouts {
  return { ...(defaults[operation] ?? usual), ...timeouts };
}
