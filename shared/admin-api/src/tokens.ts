import { z } from 'zod/mini';
import { budgetLeft } from './budget.ts';
import { pageOf } from './page.ts';
import { price } from './price.ts';
import { shown } from './stated.ts';
import { tokenSettings } from './token-settings.ts';

/** The fields of a token that its holder may see. */
const own = {
  id: z.string(),
  name: z.string(),
  project: z.string(),
  ...shown(tokenSettings),
  expiresAt: z.nullable(z.string()).check(z.describe('RFC 3339; null for never.')),
  tags: z.record(z.string(), z.string()),
};

const fields = {
  ...own,
  prefix: z.string().check(z.describe('The start of the secret or of its hash, for people to identify it.')),
  createdAt: z.string().check(z.describe('RFC 3339.')),
  lastUsedAt: z
    .nullable(z.string())
    .check(
      z.describe(
        'Start of its last attempt at an upstream, to the minute, RFC 3339; null if there was none.',
      ),
    ),
  disabled: z.boolean().check(z.describe('True while it may not be used.')),
};

/** A token without its secret. */
export const tokenInfo = z.object(fields);
export type TokenInfo = z.infer<typeof tokenInfo>;

export const tokenPage = pageOf(tokenInfo);

/** A token and its new secret, `token`, which no other response holds; null if only the SHA-256 of the secret is known. */
export const issuedToken = z.object({ ...fields, token: z.nullable(z.string()) });
export type IssuedToken = z.infer<typeof issuedToken>;

/** A model that a token may use. */
export const ownModel = z.object({
  name: z.string().check(z.describe('A name, or a pattern with `*`.')),
  context: z
    .nullable(z.number())
    .check(z.describe('The longest prompt with its answer, in tokens; null if it is unknown.')),
  price: z.nullable(price).check(z.describe('Its price; null if that is unknown.')),
  operations: z.array(z.string()).check(z.describe('The operations that its upstreams support.')),
  providers: z
    .array(z.string())
    .check(z.describe('The names of the providers that may serve it, as `x-gateway-target` has them.')),
  formats: z
    .array(z.string())
    .check(z.describe('The wire formats of its upstreams for `generate`. Clients may use any format.')),
});

/** The rest of a limit of a token or its project. */
export const limitLeft = z.object({
  of: z.enum(['token', 'project']),
  model: z
    .nullable(z.string())
    .check(z.describe('The name or pattern of the models that it holds for; null for all.')),
  limit: z.enum(['requestsPerMinute', 'tokensPerMinute', 'concurrency']),
  value: z.number(),
  left: z.number(),
  resetsAt: z
    .nullable(z.string())
    .check(z.describe('When it is whole again if no other request comes, RFC 3339; null for `concurrency`.')),
});

/** A token, what is left of its limits and budgets, and the models that it may use, as shown to the client that holds it. */
export const ownToken = z.object({
  ...own,
  limitsLeft: z
    .nullable(z.array(limitLeft))
    .check(
      z.describe(
        'The rest of the limits of the token and its project; null if that is not known at the moment.',
      ),
    ),
  budgetsLeft: z
    .array(budgetLeft)
    .check(z.describe('The rest of the budgets of the token, its project and its owner.')),
  models: z.array(ownModel),
});
export type OwnToken = z.infer<typeof ownToken>;
