import { z } from 'zod/mini';

/** The longest name of a token or a project, in characters. */
export const nameCharacters = 200;

/** Matches invisible characters, bidirectional controls and lone surrogates. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

const name = z.string().check(
  z.minLength(1, 'must not be empty'),
  z.maxLength(nameCharacters, `must have at most ${nameCharacters} characters`),
  z.refine(
    text => !invisible.test(text),
    'must not contain control, zero-width or bidirectional characters, or lone surrogates',
  ),
);

const rfc3339 = z.iso
  .datetime({ offset: true })
  .check(z.regex(/T\d\d:\d\d:\d\d/, 'must be an RFC 3339 time'));

/** The body of a request for a new token. */
export const newToken = z.strictObject({
  name,
  /** Created when it is first used; `default` if absent. */
  project: z.nullish(name),
  /** A time in the future; never if absent. */
  expiresAt: z.nullish(rfc3339),
});
export type NewToken = z.infer<typeof newToken>;
