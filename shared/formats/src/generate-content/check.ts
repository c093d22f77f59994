import { GatewayError } from '@model-gateway/canonical';
import type { z } from 'zod';
import { knownFields } from '../client/endpoint.ts';
import { invalidRequest } from '../client/invalid.ts';

/** Parses a value by a schema. @throws GatewayError for the first invalid field */
export function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  if (issue?.path.join() === 'contents' && isEmpty(value))
    throw invalid('contents', 'contents is not specified');
  throw invalidRequest(error, value);
}

/** Returns the fields of the schemas in camelCase and snake_case. */
export function fieldsInBothCases(...schemas: readonly { shape: Record<string, unknown> }[]) {
  const names = schemas.flatMap(({ shape }) => Object.keys(shape));
  const snake = names.map(name => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`));
  return knownFields({ shape: Object.fromEntries([...names, ...snake].map(name => [name, true])) });
}

/** Returns an error about one field. `param` is a path such as `contents[0].parts[1]`. */
export function invalid(param: string, why: string): GatewayError {
  return new GatewayError('invalid-request', `Invalid value at '${param}': ${why}.`, { param });
}

function isEmpty(body: unknown): boolean {
  const { contents } = body as { contents?: unknown };
  return contents === undefined || contents === null || (Array.isArray(contents) && contents.length === 0);
}
