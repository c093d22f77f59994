import { GatewayError } from '@model-gateway/canonical';
import { z } from 'zod/mini';

const english = { error: z.locales.en().localeError };

/** Parses a query. @throws GatewayError naming the first invalid parameter */
export function parseQuery<Schema extends z.ZodMiniType>(schema: Schema, query: unknown): z.infer<Schema> {
  const result = schema.safeParse(query, english);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const param = issue?.code === 'unrecognized_keys' ? issue.keys[0] : String(issue?.path[0]);
  throw new GatewayError('invalid-request', `${param}: ${issue?.message}.`, {
    ...(param && { param }),
    code: issue?.code === 'unrecognized_keys' ? 'unknown_parameter' : 'invalid_value',
  });
}
