import { durationMs } from '@model-gateway/canonical/duration-text';
import { z } from 'zod/mini';

/** The longest name of a token, a project, a user, a provider or a model, in characters. */
export const nameCharacters = 200;

/** Matches invisible characters, bidirectional controls and lone surrogates. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const control = /\p{Cc}/u;

const notLong = z.maxLength(nameCharacters, `must have at most ${nameCharacters} characters`);
const notEmpty = z.minLength(1, 'must not be empty');
const oneStar = z.refine<string>(text => text.split('*').length <= 2, 'must hold at most one *');

/** A text that is shown to people. */
export const visibleText = z.string().check(
  notLong,
  z.refine(
    text => !invisible.test(text),
    'must not contain control, zero-width or bidirectional characters, or lone surrogates',
  ),
);

export const name = visibleText.check(notEmpty);
/** The name of a model that requests ask for, or a pattern with one `*`. */
export const modelPattern = name.check(oneStar);

/** The name of an entry of the catalog. It is free text, so that a model can have the name that its vendor uses. */
export const entryName = z.string().check(
  notEmpty,
  notLong,
  z.refine(text => !control.test(text), 'must not hold control characters'),
  z.refine(text => text.trim() === text, 'must not start or end with a space'),
);
/** The same, or a pattern with one `*`. */
export const entryPattern = entryName.check(oneStar);

/** One line of text that is not empty. */
export const line = z.string().check(
  notEmpty,
  z.refine(text => !control.test(text), 'must be one line of text'),
);

/** Returns a duration such as `250ms`, `60s`, `30m`, `24h` or `7d`. `bounds` says what is wrong with the milliseconds that `fits` refuses. */
export function durationWithin(fits: (ms: number) => boolean, bounds: string) {
  return z.string().check(
    z.refine(text => durationMs(text) !== undefined, {
      error: 'is not a duration such as 250ms, 60s, 30m, 24h or 7d',
      abort: true,
    }),
    z.refine(text => fits(durationMs(text) ?? 0), bounds),
  );
}
