import { z } from 'zod';
import { secret } from './secret.ts';

/** The most API keys of a provider. */
const mostKeys = 100;

/** Several API keys of a provider. */
export const apiKeys = z
  .array(
    z.strictObject({
      key: secret,
      /** Share of requests that try this key first; 1 if absent. */
      weight: z.number().positive('must be greater than zero').max(1_000, 'must be at most 1000').optional(),
      /** The name by which the key rests and is shown; its position, from 1, if absent. */
      name: z
        .string()
        .regex(/^[\w.-]{1,60}$/, 'must be 1 to 60 letters, digits, _, . or -')
        .optional(),
    }),
  )
  .min(1, 'must hold at least one key')
  .max(mostKeys, `must hold at most ${mostKeys} keys`)
  .superRefine((keys, context) => {
    const names = keys.map(({ name }, at) => name ?? String(at + 1));
    for (const [at, name] of names.entries())
      if (names.indexOf(name) < at)
        context.addIssue({ code: 'custom', path: [at, 'name'], message: 'is the name of another key' });
  });
