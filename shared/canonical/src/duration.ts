import { z } from 'zod';
import { durationMs } from './duration-text.ts';

/** A duration such as `250ms`, `60s`, `30m`, `24h` or `7d`, parsed to milliseconds. */
export const duration = z
  .string()
  .refine(text => durationMs(text) !== undefined, 'is not a duration such as 250ms, 60s, 30m, 24h or 7d')
  .transform(text => durationMs(text) ?? 0);
