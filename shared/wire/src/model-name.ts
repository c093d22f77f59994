import { z } from 'zod';

/** The longest name of a model, in characters. */
export const modelNameCharacters = 256;

const expected = 'text without control characters and lone surrogates';

/** A model's name, wherever a client gives one. No control character and no half of a surrogate pair is part of it. */
export const modelName = z
  .string()
  .min(1)
  .max(modelNameCharacters, { abort: true })
  .refine(name => /^[^\p{Cc}\p{Cs}]*$/u.test(name), {
    message: expected.replace('text', 'string'),
    params: { code: 'invalid_value', expected },
  });

/** The same as a resource of generate-content: it may stand after `models/`, or be empty where the path has it. */
export const generateContentModelName = z
  .string()
  .refine(name => name === '' || modelName.safeParse(name.replace(/^models\//, '')).success, {
    message: 'the name of a model',
    params: {
      code: 'invalid_value',
      expected: `a name of at most ${modelNameCharacters} characters without control characters and lone surrogates`,
    },
  });
