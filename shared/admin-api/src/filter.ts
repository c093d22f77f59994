import { z } from 'zod/mini';
import { paging } from './page.ts';
import { accountRole, projectRole } from './role.ts';
import { rfc3339 } from './time.ts';

/** A text that a filter compares. */
export const filterText = z
  .string()
  .check(z.minLength(1, 'must not be empty'), z.maxLength(500, 'must have at most 500 characters'));

const tag = z.string().check(z.regex(/^[^:]+:/, 'must be a name and a value, such as team:search'));

/** A tag as `name:value`; of several, each is wanted. */
export const tagFilter = z.optional(z.union([tag, z.array(tag)]));

/** True or false, as a query has it. */
export const flag = z.pipe(
  z.enum(['true', 'false'], 'must be true or false'),
  z.transform(text => text === 'true'),
);

/** The query of tokens. */
export const tokenListQuery = z.strictObject({
  project: z.optional(filterText),
  owner: z.optional(filterText),
  name: z.optional(filterText).check(z.describe('A part of the name, in upper or lower case.')),
  disabled: z.optional(flag),
  tag: tagFilter,
  expiresBefore: z.optional(rfc3339).check(z.describe('Exclusive. Tokens that never expire are left out.')),
  ...paging,
});

/** The query of projects, and of users. */
export const groupsQuery = z.strictObject({
  name: z.optional(filterText).check(z.describe('A part of the name, in upper or lower case.')),
  ...paging,
});

export const membersQuery = z.strictObject({ role: z.optional(projectRole), ...paging });

export const accountsQuery = z.strictObject({ role: z.optional(accountRole), ...paging });
