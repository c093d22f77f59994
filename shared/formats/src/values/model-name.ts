import { z } from 'zod';

/** The longest name of a model, in characters. */
export const modelNameCharacters = 256;

/** A model's name in a request. Control characters and lone surrogates are not allowed. */
export const modelName = z
  .string()
  .min(1)
  .max(modelNameCharacters, { abort: true })
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'string without control characters and lone surrogates')
  .describe("A model's name, as GET /v1/models lists it, or one that a pattern of the list matches.");

/** A model's name as a resource: `models/` may precede it; it may be empty if the path holds it. */
export const generateContentModelName = z
  .string()
  .refine(name => name === '' || modelName.safeParse(name.replace(/^models\//, '')).success, {
    message: 'the name of a model',
    params: {
      code: 'invalid_value',
      expected: `a name of at most ${modelNameCharacters} characters without control characters and lone surrogates`,
    },
  });
