import type { Operation } from '@model-gateway/canonical';
import type { Model } from './schema.ts';

/** How long an upstream may take, in milliseconds. */
export type Timeouts = Required<Model['timeouts']>;

/** Where a model does not say. Of an image nothing may come before it is complete, nor between two views of it. */
const defaults: Partial<Record<Operation, Omit<Timeouts, 'total'>>> = {
  image: { firstToken: 300_000, idle: 300_000 },
};
const usual = { firstToken: 60_000, idle: 60_000 };

/** How long a model's upstream may take to do what it is asked for. */
export function timeoutsFor({ timeouts }: Pick<Model, 'timeouts'>, operation: Operation): Timeouts {
  return { ...(defaults[operation] ?? usual), ...timeouts };
}
