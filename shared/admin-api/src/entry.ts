import { z } from 'zod/mini';
import { paging } from './page.ts';

/** The place where gateway.yaml states a record. */
export const place = z.object({
  file: z.string(),
  line: z
    .nullable(z.int())
    .check(z.describe('From 1; null if the control that answers has another file, without the record.')),
});
export type FileLocation = z.infer<typeof place>;

const whereStated = z
  .nullable(place)
  .check(
    z.describe('Where gateway.yaml states it, so that it can only be changed there; null for another owner.'),
  );

/** The owner of a project or a user. */
export const owner = {
  managedBy: z
    .enum(['file', 'api'])
    .check(z.describe('`file` if gateway.yaml states it, else `api`: it has one owner as a whole.')),
  place: whereStated,
};

/** A model of `discovery` is listed by its provider, and has no settings of its own. */
const managedBy = z.enum(['file', 'api', 'discovery']);

/** The query of the lists of providers and models. */
export const entriesQuery = z.strictObject({ ...paging, managedBy: z.optional(managedBy) });

/** The fields of a provider or a model besides its settings. */
export const entry = {
  name: z.string(),
  managedBy,
  place: whereStated,
  problems: z
    .array(z.string())
    .check(
      z.describe(
        'The reasons why the entry does not fit the others, such as a target whose provider has left gateway.yaml.',
      ),
    ),
  createdAt: z.string().check(z.describe('RFC 3339.')),
};
