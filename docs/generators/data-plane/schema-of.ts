import { z } from 'zod';
import type { JsonSchema } from './operation.ts';

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>;

/**
 * Leaves out what says nothing, as bounds of every safe integer and the value that replaces a malformed one do, and patterns with
 * classes of Unicode, which not every language can read.
 */
export const override: Override = ({ zodSchema, jsonSchema }) => {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.pattern?.includes('\\p{')) delete jsonSchema.pattern;
  if (zodSchema._zod.def.type === 'catch') delete jsonSchema.default;
};

export const options = { io: 'input', unrepresentable: 'any', override } as const;

/** Returns the JSON Schema of what a client sends. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, options);
  return rest;
}
