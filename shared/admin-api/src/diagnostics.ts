import { z } from 'zod/mini';

/** The results of a check, from the best. */
export const checkStatuses = ['ok', 'warning', 'failed'] as const;
export type CheckStatus = (typeof checkStatuses)[number];

/** A finding of a check. A check may have several. */
export const finding = z.object({
  /** The thing that was checked, such as `database`. */
  check: z.string(),
  status: z.enum(checkStatuses),
  /** What was found, one or two sentences. */
  found: z.string(),
  /** What to do about it; null if it is as it should be. */
  advice: z.nullable(z.string()),
});
export type Finding = z.infer<typeof finding>;

/** The diagnostics of a running installation. */
export const diagnostics = z.object({
  /** The clock of control, RFC 3339. */
  at: z.string(),
  /** The version of control. */
  version: z.string(),
  checks: z.array(finding),
});
export type Diagnostics = z.infer<typeof diagnostics>;
