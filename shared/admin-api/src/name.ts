import { z } from 'zod/mini';

/** The longest name of a token, a project or a user, in characters. */
export const nameCharacters = 200;

/** Matches invisible characters, bidirectional controls and lone surrogates. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** A text that is shown to people. */
export const visibleText = z.string().check(
  z.maxLength(nameCharacters, `must have at most ${nameCharacters} characters`),
  z.refine(
    text => !invisible.test(text),
    'must not contain control, zero-width or bidirectional characters, or lone surrogates',
  ),
);

export const name = visibleText.check(z.minLength(1, 'must not be empty'));
