import { z } from 'zod/mini';

/** The results of a check, from the best. */
export const checkStatuses = ['ok', 'warning', 'failed'] as const;
export type CheckStatus = (typeof checkStatuses)[number];

/** A finding of a check. A check may have several. */
export const finding = z.object({
  check: z.string().check(z.describe('The thing that was checked, such as `database`.')),
  status: z.enum(checkStatuses),
  found: z.string().check(z.describe('What was found, one or two sentences.')),
  advice: z.nullable(z.string()).check(z.describe('What to do about it; null if it is as it should be.')),
});
export type Finding = z.infer<typeof finding>;

/** The diagnostics of a running installation. */
export const diagnostics = z.object({
  at: z.string().check(z.describe('The clock of control, RFC 3339.')),
  version: z.string().check(z.describe('The version of control.')),
  checks: z.array(finding),
});
export type Diagnostics = z.infer<typeof diagnostics>;
