import type { FieldError } from '@model-gateway/admin-api';
import { GatewayError } from '@model-gateway/canonical';
import { z } from 'zod';
import type { z as mini } from 'zod/mini';
import { InvalidFields } from '../common/invalid-fields.ts';
import { describe, fieldErrors } from './field-errors.ts';

/** Parses a body. @throws GatewayError naming every invalid field */
export function parseBody<Schema extends mini.ZodMiniType>(
  schema: Schema,
  body: unknown,
): mini.infer<Schema> {
  const result = schema.safeParse(body, { error: describe });
  const issues = result.error?.issues ?? [];
  if (issues.some(({ code, path }) => code !== 'unrecognized_keys' && path.length === 0))
    throw new GatewayError('invalid-request', 'The body must be a JSON object.', { code: 'invalid_type' });
  const errors = [...fieldErrors(issues), ...fieldsOfProto(body)];
  if (!result.success || errors.length > 0) throw new InvalidFields(errors);
  return result.data;
}

/** More levels than a body of any schema has. */
const mostLevels = 16;

/** Returns the errors of members named `__proto__`, which schemas leave out. */
function fieldsOfProto(value: unknown, path: string[] = []): FieldError[] {
  if (typeof value !== 'object' || value === null || path.length > mostLevels) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const place = [...path, name];
    if (name !== '__proto__') return fieldsOfProto(member, place);
    return [
      { path: z.core.toDotPath(place), message: 'is a name that cannot be used', code: 'invalid_value' },
    ];
  });
}
