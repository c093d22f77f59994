import { z } from 'zod/mini';
import { budgetLeft, budgetSettings } from './budget.ts';
import { pageOf } from './page.ts';
import { price } from './price.ts';
import { endpointNames, limits } from './token-settings.ts';

/** The fields of a token that its holder may see. */
const own = {
  id: z.string(),
  name: z.string(),
  project: z.string(),
  /** The user who owns the token; null for none. */
  owner: z.nullable(z.string()),
  /** RFC 3339; null for never. */
  expiresAt: z.nullable(z.string()),
  /** Null if every endpoint is allowed. */
  endpoints: z.nullable(z.array(z.enum(endpointNames))),
  /** IP addresses and ranges; null if every address is allowed. */
  allowedAddresses: z.nullable(z.array(z.string())),
  /** Null for none. */
  limits: z.nullable(limits),
  /** Null for none. */
  budget: z.nullable(budgetSettings),
  tags: z.record(z.string(), z.string()),
};

const fields = {
  ...own,
  /** The start of the secret or of its hash, for people to identify it. */
  prefix: z.string(),
  /** RFC 3339. */
  createdAt: z.string(),
  /** Start of its last attempt at an upstream, to the minute, RFC 3339; null if there was none. */
  lastUsedAt: z.nullable(z.string()),
  /** True while it may not be used. */
  disabled: z.boolean(),
  /** Names of models, each with at most one `*`; null if every model is allowed. */
  models: z.nullable(z.array(z.string())),
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
  /** A name, or a pattern with `*`. */
  name: z.string(),
  /** The longest prompt with its answer, in tokens; null if it is unknown. */
  context: z.nullable(z.number()),
  /** Its price; null if that is unknown. */
  price: z.nullable(price),
  /** The operations that its upstreams support. */
  operations: z.array(z.string()),
  /** The wire formats of its upstreams for `generate`. Clients may use any format. */
  formats: z.array(z.string()),
});

/** The rest of a limit of a token or its project. */
export const limitLeft = z.object({
  of: z.enum(['token', 'project']),
  /** The name or pattern of the models that it holds for; null for all. */
  model: z.nullable(z.string()),
  limit: z.enum(['requestsPerMinute', 'tokensPerMinute', 'concurrency']),
  value: z.number(),
  left: z.number(),
  /** When it is whole again if no other request comes, RFC 3339; null for `concurrency`. */
  resetsAt: z.nullable(z.string()),
});

/** A token, what is left of its limits and budgets, and the models that it may use, as shown to the client that holds it. */
export const ownToken = z.object({
  ...own,
  /** The rest of the limits of the token and its project; null if that is not known at the moment. */
  limitsLeft: z.nullable(z.array(limitLeft)),
  /** The rest of the budgets of the token, its project and its owner. */
  budgetsLeft: z.array(budgetLeft),
  models: z.array(ownModel),
});
export type OwnToken = z.infer<typeof ownToken>;
