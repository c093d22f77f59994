import type { Model, Target } from './schema.ts';

/**
 * Returns a model's targets in the order to try them: file order, but a weighted draw picks the first.
 * `match` is the text that the model's `*` matched; `random` returns a number in [0, 1).
 */
export function orderTargets(model: Pick<Model, 'targets'>, match: string, random: () => number): Target[] {
  const { targets } = model;
  const ordered = targets.length === 1 ? targets : first(targets, draw(targets, random));
  return match === '' ? ordered : ordered.map(target => fill(target, match));
}

/** Returns the index of the target to try first; 0 if no weight is greater than 0. */
function draw(targets: readonly Target[], random: () => number): number {
  const total = targets.reduce((sum, { weight = 0 }) => sum + weight, 0);
  if (total === 0) return 0;
  let left = random() * total;
  let drawn = 0;
  for (const [at, { weight = 0 }] of targets.entries()) {
    if (weight === 0) continue;
    drawn = at;
    left -= weight;
    if (left < 0) break;
  }
  return drawn;
}

function first(targets: Target[], at: number): Target[] {
  if (at === 0) return targets;
  return [targets[at] as Target, ...targets.slice(0, at), ...targets.slice(at + 1)];
}

function fill(target: Target, match: string): Target {
  // A function, so that `$&` and the like in a name have no special meaning.
  return { ...target, model: target.model.replace('*', () => match) };
}
