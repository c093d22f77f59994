import { clientFormats } from '@model-gateway/canonical/wire-format';
import { z } from 'zod/mini';
import { budgetSettings } from './budget.ts';
import { modelPattern, name, visibleText } from './name.ts';
import { futureTime } from './time.ts';

/** The endpoints by which scopes name them: the wire formats of clients. */
export const endpointNames = clientFormats;

/** The most entries of a list of scopes, and of the models in limits. */
export const mostScopes = 1_000;
/** The most tags of a token. */
export const mostTags = 50;
/** The most bytes of a token's tags as JSON. They are in each of its usage records. */
export const mostTagBytes = 4_096;

const list = <Entry extends z.ZodMiniType>(entry: Entry) =>
  z.array(entry).check(z.maxLength(mostScopes, `must hold at most ${mostScopes} entries`));

const endpoint = z.enum(endpointNames, `must be one of ${endpointNames.join(', ')}`);

const most = z
  .int()
  .check(z.positive('must be greater than zero'), z.maximum(1e12, 'must be at most 1000000000000'));
const rateLimits = {
  requestsPerMinute: z.optional(most).check(z.describe('Requests that may start in any 60 s.')),
  tokensPerMinute: z
    .optional(most)
    .check(z.describe('Input and output tokens that requests of any 60 s may use.')),
  concurrency: z.optional(most).check(z.describe('Requests that may run at once.')),
};

/** Limits, and those of models by name or by a pattern with one `*`. An absent one does not apply. */
export const limitSettings = z.strictObject({
  ...rateLimits,
  models: z.optional(
    z
      .record(modelPattern, z.strictObject(rateLimits))
      .check(
        z.refine(
          models => Object.keys(models).length <= mostScopes,
          `must hold at most ${mostScopes} entries`,
        ),
      ),
  ),
});

const bytesOf = (value: object) => new TextEncoder().encode(JSON.stringify(value)).length;

/** The settings of a token that can be changed. Null and an absent field mean: none, and no restriction. */
export const tokenSettings = {
  owner: z.nullish(name).check(z.describe('The user who owns the token; created when it is first used.')),
  expiresAt: z.nullish(futureTime).check(z.describe('A time in the future; null for never.')),
  models: z
    .nullish(list(modelPattern))
    .check(z.describe('Names of the models that it may use, each with at most one `*`; all if absent.')),
  endpoints: z
    .nullish(list(endpoint))
    .check(z.describe('The endpoints that it may use, by their wire formats; all if absent.')),
  allowedAddresses: z
    .nullish(list(z.string()))
    .check(
      z.describe('IP addresses and ranges such as `10.0.0.0/8`, from which it may be used; all if absent.'),
    ),
  limits: z.nullish(limitSettings),
  budget: z.nullish(budgetSettings),
  tags: z.nullish(
    z.record(name, visibleText).check(
      z.refine(tags => Object.keys(tags).length <= mostTags, `must hold at most ${mostTags} tags`),
      z.refine(tags => bytesOf(tags) <= mostTagBytes, `must have at most ${mostTagBytes} bytes as JSON`),
    ),
  ),
};

/** The body of a request for a new token. */
export const newToken = z.strictObject({
  name,
  project: z.nullish(name).check(z.describe('Created when it is first used; `default` if absent.')),
  ...tokenSettings,
  disabled: z
    .nullish(z.boolean())
    .check(z.describe('True for a token that may not be used until it is enabled; false if absent.')),
  sha256: z
    .nullish(z.string().check(z.regex(/^[0-9a-f]{64}$/i, 'must be a SHA-256 in hex: 64 digits')))
    .check(
      z.describe(
        'The SHA-256 of an existing secret, in hex, so that a key which another gateway issued keeps working.',
      ),
    ),
});
export type NewToken = z.infer<typeof newToken>;

/** The body of a change of a token: absent fields stay as they are. */
export const tokenChange = z.strictObject({
  name: z.optional(name),
  project: z.optional(name).check(z.describe('Created when it is first used.')),
  ...tokenSettings,
  disabled: z.optional(z.boolean()).check(z.describe('True while the token may not be used.')),
});
export type TokenChange = z.infer<typeof tokenChange>;

/** The longest time in which both secrets of a rotated token work, in seconds. */
export const longestGrace = 30 * 86_400;

/** The body of a request for a new secret. */
export const rotation = z.strictObject({
  graceSeconds: z
    .nullish(
      z
        .int()
        .check(
          z.minimum(0, 'must not be negative'),
          z.maximum(longestGrace, `must be at most ${longestGrace}`),
        ),
    )
    .check(z.describe('Time in which the old secret works, too, in seconds; 0 if absent.')),
});
