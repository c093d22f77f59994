import type { Operation } from '@model-gateway/canonical';
import { type Catalog, type ModelRecord, providerFormats } from '@model-gateway/catalog';

/** Google's methods by the operation that they are for. */
const methods = {
  generate: ['generateContent', 'countTokens'],
  embed: ['embedContent', 'batchEmbedContents'],
} satisfies Partial<Record<Operation, string[]>>;

/**
 * Returns Google's methods for a model. Many kinds of provider have models that generate and models that embed: those that embed
 * alone have it in their names.
 */
export function methodsOf(
  id: string,
  targets: ModelRecord['targets'],
  catalog: Pick<Catalog, 'provider'>,
): string[] {
  const has = (operation: Operation) =>
    targets.some(target => {
      const provider = catalog.provider(target.provider);
      // A `*` stands for models of any format.
      const model = target.model.includes('*') ? undefined : target.model;
      return provider !== undefined && providerFormats(provider, operation, model).length > 0;
    });
  const isNamed = [id, ...targets.map(({ model }) => model)].some(name => /embed/i.test(name));
  if (has('embed') && (isNamed || !has('generate'))) return methods.embed;
  return has('generate') ? methods.generate : [];
}
