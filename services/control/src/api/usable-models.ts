import { type Operation, operations, type WireFormat } from '@model-gateway/canonical';
import { providerFormats } from '@model-gateway/catalog';
import type { Database } from '../database/database.ts';
import { models, providers } from '../database/tables.ts';

/** A model as those who may use it are told of it. */
export interface UsableModel {
  /** With a `*`, every name that matches. */
  name: string;
  /** What its upstreams can be asked for. */
  operations: Operation[];
  /** What its upstreams speak where they generate; it may be asked in any format. */
  formats: WireFormat[];
}

/** The models that tokens may use, in the order of the catalogue. */
export async function usableModels(db: Database): Promise<UsableModel[]> {
  const known = await db.select().from(providers);
  const speakers = new Map(known.map(({ name, data }) => [name, data]));
  const rows = await db.select().from(models).orderBy(models.position);
  return rows.map(({ name, data }) => {
    const targets = data.targets.flatMap(({ provider }) => speakers.get(provider) ?? []);
    const formatsFor = (operation: Operation) =>
      targets.flatMap(speaker => providerFormats(speaker, operation));
    // To count is no purpose of its own.
    const able = (operation: Operation) => operation !== 'count-tokens' && formatsFor(operation).length > 0;
    return {
      name,
      operations: operations.filter(able),
      formats: [...new Set(formatsFor('generate'))],
    };
  });
}
