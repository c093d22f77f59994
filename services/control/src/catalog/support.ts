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
    const formatsFor = (operation: Operation) =>
      targets.flatMap(({ provider: name, model }) => {
        const provider = byName.get(name);
        // A `*` stands for models of any format.
        const named = model.includes('*') ? undefined : model;
        return provider ? providerFormats(provider, operation, named) : [];
      });
    // Token counting only supports `generate`, so it is not listed.
    const isSupported = (operation: Operation) =>
      operation !== 'count-tokens' && formatsFor(operation).length > 0;
    return { operations: operations.filter(isSupported), formats: [...new Set(formatsFor('generate'))] };
  };
}
