import { z } from 'zod';

/** True for a JSON object, false for an array or null. */
export const isJsonObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Any JSON object. The value is kept as it is: a copy would lose a key such as `__proto__`. */
export const jsonObject = z.custom<Record<string, unknown>>(isJsonObject, { error: 'an object' });
