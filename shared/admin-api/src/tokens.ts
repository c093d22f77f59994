import { z } from 'zod/mini';

const fields = {
  id: z.string(),
  name: z.string(),
  project: z.string(),
  /** The start of the secret or of its hash, for people to identify it. */
  prefix: z.string(),
  /** RFC 3339. */
  createdAt: z.string(),
  /** RFC 3339; null for never. */
  expiresAt: z.nullable(z.string()),
};

/** A token without its secret. */
const tokenInfo = z.object(fields);
export type TokenInfo = z.infer<typeof tokenInfo>;

export const tokenList = z.object({ data: z.array(tokenInfo) });

/** A new token. No other response holds its secret, `token`. */
export const issuedToken = z.object({ ...fields, token: z.string() });
export type IssuedToken = z.infer<typeof issuedToken>;

const { id, name, project, expiresAt } = fields;

/** A token and the models that it may use, as shown to the client that holds it. */
export const ownToken = z.object({
  id,
  name,
  project,
  expiresAt,
  models: z.array(
    z.object({
      /** A name, or a pattern with `*`. */
      name: z.string(),
      /** The operations that its upstreams support. */
      operations: z.array(z.string()),
      /** The wire formats of its upstreams for `generate`. Clients may use any format. */
      formats: z.array(z.string()),
    }),
  ),
});
export type OwnToken = z.infer<typeof ownToken>;
