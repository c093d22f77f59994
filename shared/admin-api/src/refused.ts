import { z } from 'zod/mini';
import { pageOf, paging } from './page.ts';
import { time } from './usage.ts';

const text = z.string().check(z.minLength(1, 'must not be empty'));

const refusedFilter = {
  from: z.optional(time),
  to: z.optional(time).check(z.describe('Exclusive.')),
  token: z.optional(text),
  project: z.optional(text),
  owner: z.optional(text),
  model: z.optional(text),
  reason: z.optional(text).check(z.describe('The kind of the error, such as `rate-limited`.')),
};

/** The query of refused requests. */
export const refusedQuery = z.strictObject({
  ...refusedFilter,
  request: z.optional(text).check(z.describe('The id in the header `x-request-id`.')),
  ...paging,
});

/** The query of their numbers. */
export const refusedTotalsQuery = z.strictObject(refusedFilter);

const refusal = {
  token: z.nullable(z.string()).check(z.describe("The token's id; null if the credential was refused.")),
  project: z.nullable(z.string()),
  owner: z.nullable(z.string()),
  status: z.number().check(z.describe('The HTTP status.')),
  reason: z.string().check(z.describe('The kind of the error.')),
};

/** A request that the gateway refused before it called a provider. */
export const refusedEntry = z.object({
  id: z.string(),
  requestId: z.string(),
  at: z.string().check(z.describe('RFC 3339.')),
  endpoint: z.string().check(z.describe('The path of the endpoint.')),
  model: z.string().check(z.describe('The model name that the client sent; empty if it was not read.')),
  ...refusal,
  code: z.nullable(z.string()).check(z.describe('The code of the error.')),
  param: z.nullable(z.string()).check(z.describe('The field at fault, as the client names it.')),
});
export type RefusedEntry = z.infer<typeof refusedEntry>;

export const refusedPage = pageOf(refusedEntry);

/** Numbers of refused requests by token and reason, the largest first. */
export const refusedTotals = z.object({
  data: z.array(
    z.object({
      ...refusal,
      refused: z.number().check(z.describe('Requests that were refused, also those that are not listed.')),
      last: z.string().check(z.describe('The latest minute or hour in which there was one, RFC 3339.')),
    }),
  ),
});
export type RefusedTotals = z.infer<typeof refusedTotals>;
