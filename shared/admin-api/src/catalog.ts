import { z } from 'zod/mini';
import { place } from './entry.ts';
import { modelSettings } from './model.ts';
import { name } from './name.ts';
import { projectSettings, userSettings } from './projects.ts';
import { providerSettings } from './provider.ts';

const named = { name: z.string() };

/** A whole catalog, in the form of gateway.yaml. */
export const catalogDocument = z.strictObject({
  providers: z.array(z.strictObject({ ...providerSettings.shape, ...named })),
  models: z.array(z.strictObject({ ...modelSettings.shape, ...named })),
  projects: z.optional(z.array(z.strictObject({ ...named, ...projectSettings.shape }))),
  users: z.optional(z.array(z.strictObject({ ...named, ...userSettings.shape }))),
});
export type CatalogDocument = z.infer<typeof catalogDocument>;

const flag = z._default(z.enum(['true', 'false'], 'must be true or false'), 'false');

export const applyQuery = z.strictObject({
  /** `true` to return the changes only. */
  dryRun: flag,
  /** `true` to delete the providers and models of the API, and the settings of projects and users, that the document lacks. */
  prune: flag,
});

const entryKind = z.enum(
  ['provider', 'model', 'project', 'user'],
  'must be one of provider, model, project, user',
);

export const entryChange = z.object({
  kind: entryKind,
  name: z.string(),
  change: z.enum(['created', 'changed', 'deleted', 'unchanged']),
  /** The fields that differ, by their paths. A value is null where it is absent, and secrets are hidden. */
  fields: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
});
export type EntryChange = z.infer<typeof entryChange>;

/** The changes of a document, in its order, and then those of what it lacks. */
export const appliedCatalog = z.object({ dryRun: z.boolean(), changes: z.array(entryChange) });
export type AppliedCatalog = z.infer<typeof appliedCatalog>;

/** The record of gateway.yaml that moves to the database. */
export const adoption = z.strictObject({ kind: entryKind, name });

/** A record of the database. */
export const adopted = z.object({
  kind: entryKind,
  name: z.string(),
  place: z
    .nullable(place)
    .check(
      z.describe(
        'The place where gateway.yaml still states it, to be removed: until then, a changed gateway.yaml is not applied. Null if it was of the database before.',
      ),
    ),
});

/** The body of a test: a model at the provider, or a name that the model's `*` matches. */
export const catalogTest = z.strictObject({
  model: z.nullish(z.string().check(z.minLength(1), z.maxLength(200))),
});

/** The results of a test, a target each. */
export const catalogTestResult = z.object({
  data: z.array(
    z.object({
      provider: z.string(),
      /** The model's name at the provider. */
      model: z.string(),
      works: z.boolean(),
      /** Milliseconds until the whole answer or the failure. */
      ms: z.number(),
      /** Null if it works. */
      error: z.nullable(z.object({ kind: z.string(), message: z.string() })),
    }),
  ),
});
export type CatalogTestResult = z.infer<typeof catalogTestResult>;
