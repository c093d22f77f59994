import { z } from 'zod';
import { isJsonObject } from '../values/schemas.ts';

/**
 * A schema of a repeated field. Google's servers read one value in its place as a list of one, as their JSON of protocol buffers
 * allows.
 */
export function repeated<T extends z.ZodArray>(list: T) {
  return z.preprocess(asList, list);
}

function asList(value: unknown): unknown {
  return typeof value === 'string' || isJsonObject(value) ? [value] : value;
}

/** Reads a text in place of a part. */
export function textAsPart(value: unknown): unknown {
  return typeof value === 'string' ? { text: value } : value;
}

/** Reads a text in place of a content. */
export function textAsContent(value: unknown): unknown {
  return typeof value === 'string' ? { parts: [{ text: value }] } : value;
}
