import { enumName, generateContentSchemaTypes } from '@model-gateway/formats';
import { z } from 'zod';
import type { Schema } from '../responder/json-value.ts';

/** Accepts an enum's name or its number, as protocol buffers do. */
export function byNumber<T extends z.ZodType>(values: readonly string[], name: T) {
  return z.preprocess(value => enumName(values, value), name);
}

const long = z.union([z.int(), z.string().regex(/^\d+$/)]).nullish();
const text = z.string().nullish();

/** The vendor's subset of JSON Schema. */
export const vendorSchema: z.ZodType<Schema> = z.lazy(() =>
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
    items: vendorSchema.nullish(),
    properties: z.record(z.string(), vendorSchema).nullish(),
    required: z.array(z.string()).nullish(),
    anyOf: z.array(vendorSchema).nullish(),
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
