import type { Operation, WireFormat } from '@model-gateway/canonical';
import { providerFormats } from '@model-gateway/catalog';
import type { Database } from '../database/database.ts';
import { models, providers } from '../database/tables.ts';

/** A model as those who may use it are told of it. */
export interface UsableModel {
  /** With a `*`, every name that matches. */
  name: string;
  operations: Operation[];
  /** What its upstreams speak; it may be asked in any format. */
  formats: WireFormat[];
}

/** The models that tokens may use, in the order of the catalogue. */
export async function usableModels(db: Database): Promise<UsableModel[]> {
  const known = await db.select().from(providers);
  const formatsOf = new Map(known.map(({ name, data }) => [name, providerFormats(data)]));
  const rows = await db.select().from(models).orderBy(models.position);
  return rows.map(({ name, data }) => {
    const formats = data.targets.flatMap(({ provider }) => formatsOf.get(provider) ?? []);
    return { name, operations: ['generate'], formats: [...new Set(formats)] };
  });
}
