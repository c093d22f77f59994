import { z } from 'zod';
import { restId } from './route.ts';

/** A time in milliseconds since 1970 that a `Date` can hold. */
const time = z.number().min(0).max(8.64e15);

const rest = z.object({
  /** Time of the change in milliseconds since 1970. A later one replaces it. */
  version: z.int(),
  provider: z.string(),
  /** Absent for a provider without an API key. */
  key: z.string().optional(),
  /** The model's name at the provider; absent if the key rests. */
  model: z.string().optional(),
  /** `failures` if it failed repeatedly, `asked` if it asked for a pause, `refused-key` if it refused its key. */
  reason: z.string(),
  /** The kind of the error that caused the rest. */
  error: z.string(),
  since: time,
  /** 0 once the rest was ended by a success. */
  until: time,
  /** The process that probes first. */
  by: z.string(),
  /** Time of the change by the writer's clock. */
  writtenAt: time.optional(),
  /** The time at which a request began to probe the target, while it does. */
  probedAt: time.optional(),
  /** The length of a rest for repeated failures, in milliseconds. */
  lengthMs: z.number().positive().optional(),
});

/** A target that gets no requests for a while, or a key with all its targets; a value of the bucket `health`. */
export type Rest = z.infer<typeof rest>;

/** Returns a value of the bucket `health`; undefined if it is not a rest. */
export function readRest(value: unknown): Rest | undefined {
  return rest.safeParse(value).data;
}

/** Returns the key of a rest in the bucket `health`. */
export function restKey(rest: Rest): string {
  return Buffer.from(restId(rest)).toString('base64url');
}

/** Returns the id of the rest with a key of {@link restKey}. */
export function parseRestKey(key: string): string {
  return Buffer.from(key, 'base64url').toString();
}
