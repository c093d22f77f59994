import { z } from 'zod/mini';
import { paging } from './page.ts';

/** A model of `discovery` is listed by its provider, and has no settings of its own. */
const managedBy = z.enum(['file', 'api', 'discovery']);

/** The query of the lists of providers and models. */
export const entriesQuery = z.strictObject({ ...paging, managedBy: z.optional(managedBy) });

/** The fields of a provider or a model besides its settings. */
export const entry = {
  name: z.string(),
  managedBy,
  place: z
    .nullable(z.string())
    .check(
      z.describe('The place of an entry of gateway.yaml, such as `providers[0]`; null for one of the API.'),
    ),
  overridden: z
    .boolean()
    .check(
      z.describe(
        'True if the API has an entry with the name of this one of gateway.yaml, which holds again once this one is gone.',
      ),
    ),
  problems: z
    .array(z.string())
    .check(
      z.describe(
        'The reasons why the entry does not fit the others, such as a target whose provider has left gateway.yaml.',
      ),
    ),
  createdAt: z.string().check(z.describe('RFC 3339.')),
};
