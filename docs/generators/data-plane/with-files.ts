import type { z } from 'zod';
import type { JsonSchema } from './operation.ts';
import { schemaOf } from './schema-of.ts';

/** Returns the schema of a form: the fields that the ingress validates, and its files. */
export function withFiles(
  fields: z.ZodObject,
  files: Record<string, JsonSchema>,
  required: readonly string[] = [],
): JsonSchema {
  const schema = schemaOf(fields);
  return {
    ...schema,
    properties: { ...schema.properties, ...files },
    required: [...(schema.required ?? []), ...required],
  };
}
