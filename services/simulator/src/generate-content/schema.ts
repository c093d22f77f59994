import { enumName, generateContentSchemaTypes } from '@model-gateway/wire';
import { z } from 'zod';
import type { Schema } from '../responder/json-value.ts';

/** Accepts an enum's name or its number, as protocol buffers do. */
export function byNumber<T extends z.ZodType>(values: readonly string[], name: T) {
  return z.preprocess(value => enumName(values, value), name);
}

const long = z.union([z.int(), z.string().regex(/^\d+$/)]).nullish();
const text = z.string().nullish();

/** The vendor's subset of JSON Schema. */
export const ownSchema: z.ZodType<Schema> = z.lazy(() =>
  z.strictObject({
    type: byNumber(
      generateContentSchemaTypes,
      z
        .string()
        .refine(type => generateContentSchemaTypes.includes(type.toUpperCase()), { message: 'not a type' })
        .nullish(),
    ),
    format: text,
    title: text,
    description: text,
    nullable: z.boolean().nullish(),
    enum: z.array(z.string()).nullish(),
    items: ownSchema.nullish(),
    properties: z.record(z.string(), ownSchema).nullish(),
    required: z.array(z.string()).nullish(),
    anyOf: z.array(ownSchema).nullish(),
    propertyOrdering: z.array(z.string()).nullish(),
    minItems: long,
    maxItems: long,
    minProperties: long,
    maxProperties: long,
    minLength: long,
    maxLength: long,
    minimum: z.number().nullish(),
    maximum: z.number().nullish(),
    pattern: text,
    example: z.unknown().optional(),
    default: z.unknown().optional(),
  }),
);

/** The same as JSON Schema. */
export function jsonSchemaOf(own: Schema): Schema {
  const { type, items, properties, anyOf, nullable: _nullable, ...rest } = own;
  return {
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, countOf(name, value)])),
    ...(typeof type === 'string' && { type: type.toLowerCase() }),
    ...(isSchema(items) && { items: jsonSchemaOf(items) }),
    ...(isSchema(properties) && { properties: inEach(properties) }),
    ...(Array.isArray(anyOf) && { anyOf: anyOf.filter(isSchema).map(jsonSchemaOf) }),
  };
}

function inEach(properties: Schema): Schema {
  const entries = Object.entries(properties);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isSchema(value) ? jsonSchemaOf(value) : value]),
  );
}

function countOf(name: string, value: unknown): unknown {
  return /^(min|max)[A-Z]/.test(name) && typeof value === 'string' ? Number(value) : value;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
