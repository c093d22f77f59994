import type { z } from 'zod/mini';
import { InvalidFields } from '../common/invalid-fields.ts';
import { describe, fieldErrors } from './field-errors.ts';

/** Parses a query. @throws GatewayError naming every invalid parameter */
export function parseQuery<Schema extends z.ZodMiniType>(schema: Schema, query: unknown): z.infer<Schema> {
  const result = schema.safeParse(query, { error: describe });
  // No text in the database holds NUL.
  const withNul = Object.entries(Object(query)).filter(([, value]) =>
    [value].flat().some(text => String(text).includes('\0')),
  );
  const errors = [
    ...withNul.map(([path]) => ({ path, message: 'must not contain NUL', code: 'invalid_value' })),
    ...fieldErrors(result.error?.issues ?? []),
  ];
  if (!result.success || errors.length > 0) throw new InvalidFields(errors);
  return result.data;
}
