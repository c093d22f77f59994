import { namedSchemas as named } from '@model-gateway/admin-api';
import { z } from 'zod/mini';

type JsonSchema = z.core.JSONSchema.BaseSchema;

const registry = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries<z.ZodMiniType>(named)) registry.add(schema, { id });

const uri = (id: string) => `#/components/schemas/${id}`;
/** The schemas are those of what is sent. Responses may gain fields, so they are open. */
const options: z.core.ToJSONSchemaParams = {
  io: 'input',
  override({ jsonSchema }) {
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
};

/** Returns the schemas that have names, which refer to each other. */
export function namedSchemas(): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(registry, { ...options, uri });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]),
  );
}

/** Returns a reference to a schema that has a name, and the JSON Schema of any other. */
export function reference(shape: z.ZodMiniType): JsonSchema {
  const id = registry.get(shape)?.id;
  return id ? { $ref: uri(id) } : schemaOf(shape);
}

export function schemaOf(shape: z.ZodMiniType): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, options);
  return schema;
}
