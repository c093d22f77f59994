import type { TargetRef } from '@model-gateway/canonical';
import { type Catalog, orderTargets } from '@model-gateway/catalog';
import { findModel } from './plan.ts';

/** Consecutive targets that are served by the same pool. */
export interface PoolTargets {
  pool: string;
  targets: TargetRef[];
}

/** Returns the targets of a session by pool; the first is drawn by weight. @throws GatewayError of kind `not-found` */
export function sessionTargets(catalog: Catalog, name: string): PoolTargets[] {
  const { model, match } = findModel(catalog, name, 'model');
  const groups: PoolTargets[] = [];
  for (const target of orderTargets(model, match, Math.random)) {
    const pool = catalog.provider(target.provider)?.pool ?? 'default';
    const ref = { provider: target.provider, model: target.model };
    const group = groups.at(-1);
    if (group?.pool === pool) group.targets.push(ref);
    else groups.push({ pool, targets: [ref] });
  }
  return groups;
}
