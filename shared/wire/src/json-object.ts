import { z } from 'zod';

/** True for a JSON object, false for an array or null. */
export const isJsonObject = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Any JSON object. The value is not copied: a copy would lose keys such as `__proto__`. */
export const jsonObject = z.custom<Record<string, unknown>>(isJsonObject, { error: 'an object' });
