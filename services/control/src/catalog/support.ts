import { type Operation, operations } from '@model-gateway/canonical';
import { type Model, providerFormats, type StoredProvider } from '@model-gateway/catalog';
import type { Entries } from './entries.ts';

/** The operations that the targets of a model support, and their wire formats for `generate`. */
interface Support {
  operations: Operation[];
  formats: string[];
}

/** Returns a function that looks up what a model supports by these providers. */
export function supportBy({
  providers,
}: Pick<Entries, 'providers'>): (model: Pick<Model, 'targets'>) => Support {
  const byName = new Map<string, StoredProvider>(providers.map(({ name, data }) => [name, data]));
  return ({ targets }) => {
    const used = targets.flatMap(({ provider }) => byName.get(provider) ?? []);
    const formatsFor = (operation: Operation) =>
      used.flatMap(provider => providerFormats(provider, operation));
    // Token counting only supports `generate`, so it is not listed.
    const isSupported = (operation: Operation) =>
      operation !== 'count-tokens' && formatsFor(operation).length > 0;
    return { operations: operations.filter(isSupported), formats: [...new Set(formatsFor('generate'))] };
  };
}
