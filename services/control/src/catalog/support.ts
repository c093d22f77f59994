import { type Operation, operations } from '@model-gateway/canonical';
import { type Model, providerFormats } from '@model-gateway/catalog';
import type { Entries } from './entries.ts';

/** The operations that the targets of a model support, and their wire formats for `generate`. */
export function supportOf({ providers }: Pick<Entries, 'providers'>, { targets }: Pick<Model, 'targets'>) {
  const used = targets.flatMap(target => providers.find(({ name }) => name === target.provider)?.data ?? []);
  const formatsFor = (operation: Operation) => used.flatMap(provider => providerFormats(provider, operation));
  // Token counting only supports `generate`, so it is not listed.
  const isSupported = (operation: Operation) =>
    operation !== 'count-tokens' && formatsFor(operation).length > 0;
  return { operations: operations.filter(isSupported), formats: [...new Set(formatsFor('generate'))] };
}
