import type { TargetRef } from '@model-gateway/canonical';
import type { Catalog, Target } from '@model-gateway/catalog';

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
