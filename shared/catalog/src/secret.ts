import { z } from 'zod';

/** One line of text that is not empty. */
export const line = z
  .string()
  .min(1, 'must not be empty')
  .regex(/^\P{Cc}*$/u, 'must be one line of text');

/** A secret: its value, or the variable or the file of the workers that holds it. */
export const secret = z.union(
  [z.strictObject({ env: line }), z.strictObject({ file: line }), z.strictObject({ value: line })],
  { error: 'must be exactly one of { env: NAME }, { file: PATH } and { value: SECRET }' },
);

/** A secret that a variable or a file of the workers holds. */
export const reference = z.union([z.strictObject({ env: line }), z.strictObject({ file: line })], {
  error: 'must be a text, { env: NAME } or { file: PATH }',
});
