import { z } from 'zod';
import { maxPatternLength, patternProblem } from './linear-pattern.ts';

/** The days for which texts are stored unless `retentionDays` is set. */
export const usualRetentionDays = 30;
/** The most bytes of a text unless `maxBytes` is set. */
export const usualMaxBytes = 64 * 1024;

/** The kinds of data that redaction knows by name. Secrets, such as API keys, are always redacted. */
const redactedKinds = ['email', 'phone', 'creditCard', 'iban', 'ipAddress', 'ssn'] as const;
export type RedactedKind = (typeof redactedKinds)[number];

const mostRedactions = 50;
const mostDays = 3_650;
const mostBytes = 256 * 1024;

const ownPattern = z.strictObject({
  /** Named in the mark that replaces a match. */
  name: z.string().regex(/^[\w-]{1,50}$/, 'must be 1 to 50 letters, digits, _ or -'),
  pattern: z
    .string()
    .min(1, 'must not be empty')
    .max(maxPatternLength, `must have at most ${maxPatternLength} characters`)
    .superRefine((pattern, context) => {
      const problem = patternProblem(pattern);
      if (problem) context.addIssue({ code: 'custom', message: problem });
    }),
});

/** Request logging of a project: the texts of its requests and answers are stored. */
export const logging = z.strictObject({
  /** Share of requests that are logged, from 0 to 1. */
  sample: z.number().min(0, 'must be at least 0').max(1, 'must be at most 1'),
  /** Data that is replaced by a mark before a text leaves the ingress. */
  redact: z
    .array(
      z.union([z.enum(redactedKinds), ownPattern], {
        error: `must be one of ${redactedKinds.join(', ')}, or a mapping of name and pattern`,
      }),
    )
    .max(mostRedactions, `must hold at most ${mostRedactions} entries`)
    .optional(),
  /** Days for which texts are stored; {@link usualRetentionDays} if absent. */
  retentionDays: z
    .number()
    .positive('must be greater than zero')
    .max(mostDays, `must be at most ${mostDays}`)
    .optional(),
  /** The most bytes that are stored of a request, and of its answer; {@link usualMaxBytes} if absent. */
  maxBytes: z
    .int('must be a whole number')
    .positive('must be greater than zero')
    .max(mostBytes, `must be at most ${mostBytes}`)
    .optional(),
});
export type Logging = z.infer<typeof logging>;
