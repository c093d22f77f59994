import { z } from 'zod/mini';

/** The kinds of data that redaction knows by name. Secrets, such as API keys, are always redacted. */
export const redactedKinds = ['email', 'phone', 'creditCard', 'iban', 'ipAddress', 'ssn'] as const;

/** Bounds of request logging. */
export const loggingBounds = { redactions: 50, patternLength: 500, days: 3_650, bytes: 256 * 1024 } as const;

const ownPattern = z.strictObject({
  name: z
    .string()
    .check(z.regex(/^[\w-]{1,50}$/, 'must be 1 to 50 letters, digits, _ or -'))
    .check(z.describe('Named in the mark that replaces a match.')),
  pattern: z
    .string()
    .check(
      z.minLength(1, 'must not be empty'),
      z.maxLength(loggingBounds.patternLength, `must have at most ${loggingBounds.patternLength} characters`),
    )
    .check(z.describe('A regular expression in RE2 syntax.')),
});

const redaction = z.union(
  [z.enum(redactedKinds), ownPattern],
  `must be one of ${redactedKinds.join(', ')}, or an object of name and pattern`,
);

/** Request logging of a project: the texts of its requests and answers are stored. */
export const loggingSettings = z.strictObject({
  sample: z
    .number()
    .check(z.minimum(0, 'must be at least 0'), z.maximum(1, 'must be at most 1'))
    .check(z.describe('Share of requests that are logged, from 0 to 1.')),
  redact: z
    .optional(
      z
        .array(redaction)
        .check(
          z.maxLength(loggingBounds.redactions, `must hold at most ${loggingBounds.redactions} entries`),
        ),
    )
    .check(z.describe('Data that is replaced by a mark before a text leaves the ingress.')),
  retentionDays: z
    .optional(
      z
        .number()
        .check(
          z.positive('must be greater than zero'),
          z.maximum(loggingBounds.days, `must be at most ${loggingBounds.days}`),
        ),
    )
    .check(z.describe('Days for which texts are stored; 30 if absent.')),
  maxBytes: z
    .optional(
      z
        .int()
        .check(
          z.positive('must be greater than zero'),
          z.maximum(loggingBounds.bytes, `must be at most ${loggingBounds.bytes}`),
        ),
    )
    .check(z.describe('The most bytes that are stored of a request, and of its answer; 65536 if absent.')),
});
export type LoggingSettings = z.infer<typeof loggingSettings>;
