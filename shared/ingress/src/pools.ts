import { GatewayError, type TargetRef } from '@model-gateway/canonical';
import { type Catalog, orderTargets, type Target } from '@model-gateway/catalog';

/** Targets that follow each other and are served by the same workers. */
export interface PoolTargets {
  pool: string;
  targets: TargetRef[];
}

/** Groups a model's targets, in the order in which they are to be tried, by the pool of workers that can reach them. */
export function byPool(catalog: Catalog, targets: readonly Target[]): PoolTargets[] {
  const groups: PoolTargets[] = [];
  for (const { provider, model } of targets) {
    const pool = catalog.provider(provider)?.pool ?? 'default';
    const group = groups.at(-1);
    if (group?.pool === pool) group.targets.push({ provider, model });
    else groups.push({ pool, targets: [{ provider, model }] });
  }
  return groups;
}

/** The ways to a model, one of whose targets is drawn to be the first. @throws GatewayError of kind `not-found` */
export function routesTo(catalog: Catalog, model: string): PoolTargets[] {
  const found = catalog.model(model);
  if (!found) {
    const message = `The model '${model}' does not exist or you do not have access to it.`;
    throw new GatewayError('not-found', message, { param: 'model', code: 'model_not_found' });
  }
  return byPool(catalog, orderTargets(found.model, found.match, Math.random));
}
