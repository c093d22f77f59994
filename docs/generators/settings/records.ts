import { modelSettings, projectSettings, providerSettings } from '@model-gateway/admin-api';
import { z } from 'zod/mini';
import { writeTable } from '../limits/table.ts';

/** The sections of the documents that tell more about a field of gateway.yaml. */
type Sections = Partial<Record<string, string>>;

const ofProject: Sections = {
  limits: 'tokens.md#limits',
  budget: 'budgets.md',
  allowUnpriced: 'prices.md',
  prices: 'prices.md',
  weight: 'routing.md#fair-share',
  storeResponses: 'responses.md',
  storeErrors: 'usage.md#why-an-attempt-failed',
  logging: 'request-logging.md',
};
const ofProvider: Sections = {
  kind: 'providers.md',
  baseUrl: 'providers.md#addresses',
  apiKeys: 'provider-keys.md',
  headers: 'provider-keys.md#secrets-in-headers',
  models: 'models.md#discover-the-models-of-a-provider',
  proxy: 'provider-keys.md#a-proxy',
  tls: 'provider-keys.md#certificates',
  api: 'providers.md#what-each-can-do',
  batch: 'embeddings.md',
  options: 'providers.md',
};
const ofModel: Sections = {
  realtime: 'realtime.md',
  strategy: 'routing.md',
  retries: 'routing.md',
  fallbacks: 'routing.md#fallback-to-other-models',
  affinity: 'routing.md#turns-of-one-conversation',
  hedgeAfter: 'routing.md#hedging',
  price: 'prices.md',
};

/** The tables of the settings of records, by their page and mark. */
export const recordTables = {
  'projects.md': { 'settings of a project': tableOf(projectSettings, ofProject) },
  'configuration.md': {
    'settings of a provider': tableOf(providerSettings, ofProvider),
    'settings of a model': tableOf(modelSettings, ofModel),
  },
};

/** Returns a table of the settings of a record. */
function tableOf({ shape: { name: _, ...shape } }: z.ZodMiniObject, sections: Sections): string {
  return writeTable([['field', ''], ...rowsOf(shape, sections, '')]);
}

/** Returns a row for each field, by the sentence that documents it; for an object without a section, one for each of its fields if all have one. */
function rowsOf(shape: z.core.$ZodShape, sections: Sections, within: string): string[][] {
  return Object.entries(shape).flatMap(([field, type]) => {
    const path = `${within}${field}`;
    const section = sections[path];
    const inner = innerOf(type);
    if (!section && inner instanceof z.ZodMiniObject && Object.values(inner.shape).every(sentenceOf))
      return rowsOf(inner.shape, sections, `${path}.`);
    const sentence = sentenceOf(type);
    if (!sentence) throw new Error(`no sentence documents the setting ${path}`);
    return [[section ? `[\`${path}\`](${section})` : `\`${path}\``, sentence]];
  });
}

function sentenceOf(type: z.core.$ZodType): string | undefined {
  return z.globalRegistry.get(type)?.description;
}

/** Returns the type of a setting that may be absent or null. */
function innerOf(type: z.core.$ZodType): z.core.$ZodType {
  const mayLack = type instanceof z.ZodMiniOptional || type instanceof z.ZodMiniNullable;
  return mayLack ? innerOf(type._zod.def.innerType) : type;
}
