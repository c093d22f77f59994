import { GatewayError } from '@model-gateway/canonical';
import type { z } from 'zod/mini';
import { describe } from './parse-body.ts';

/** Parses a query. @throws GatewayError naming the first invalid parameter */
export function parseQuery<Schema extends z.ZodMiniType>(schema: Schema, query: unknown): z.infer<Schema> {
  // No text in the database holds it.
  for (const [param, value] of Object.entries(Object(query)))
    if ([value].flat().some(text => String(text).includes('\0')))
      throw new GatewayError('invalid-request', `${param}: must not contain NUL.`, {
        param,
        code: 'invalid_value',
      });
  const result = schema.safeParse(query, { error: describe });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const param = issue?.code === 'unrecognized_keys' ? issue.keys[0] : String(issue?.path[0]);
  throw new GatewayError('invalid-request', `${param}: ${issue?.message}.`, {
    ...(param && { param }),
    code: issue?.code === 'unrecognized_keys' ? 'unknown_parameter' : 'invalid_value',
  });
}
