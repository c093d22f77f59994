import { loggingSettings, type redactedKinds } from '@model-gateway/admin-api/settings';
import { z } from 'zod';
import { patternProblem } from './linear-pattern.ts';

/** The days for which texts are stored unless `retentionDays` is set. */
export const usualRetentionDays = 30;
/** The most bytes of a text unless `maxBytes` is set. */
export const usualMaxBytes = 64 * 1024;

export type RedactedKind = (typeof redactedKinds)[number];
export type Logging = z.infer<typeof loggingSettings>;

/** Request logging of a project, with patterns that can be compiled. */
export const logging = z.optional(loggingSettings).superRefine((settings, context) => {
  for (const [at, redaction] of (settings?.redact ?? []).entries()) {
    const problem = typeof redaction === 'string' ? undefined : patternProblem(redaction.pattern);
    if (problem) context.addIssue({ code: 'custom', message: problem, path: ['redact', at, 'pattern'] });
  }
});
