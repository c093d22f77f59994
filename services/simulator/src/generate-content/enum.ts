import { enumName } from '@model-gateway/wire';
import { z } from 'zod';

/** An enum's value by its name or its number, as every JSON of protocol buffers may have it. */
export function byNumber<T extends z.ZodType>(values: readonly string[], name: T) {
  return z.preprocess(value => enumName(values, value), name);
}
