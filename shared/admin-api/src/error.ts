import { z } from 'zod/mini';

/** The media type of errors (RFC 9457). */
export const problemType = 'application/problem+json';

/** The part of an error that every server on the way to the API sends. */
export const problemDetail = z.object({ detail: z.string() });

/** An invalid field of a body, or an invalid parameter of a query. */
export const fieldError = z.object({
  path: z
    .string()
    .check(z.describe('The path of the field, such as `limits.models["gpt-5"].requestsPerMinute`.')),
  message: z
    .string()
    .check(
      z.describe('The rest of a sentence that begins with the path, such as `must be greater than zero`.'),
    ),
  code: z.string(),
});
export type FieldError = z.infer<typeof fieldError>;

/** The most invalid fields that a problem names. */
export const mostFieldErrors = 100;

/** The body of every response of the API with a status of 400 or above: problem details (RFC 9457). */
export const problem = z.object({
  type: z.string().check(z.describe('The URI of the code: `urn:model-gateway:problem:` and the code.')),
  title: z.string().check(z.describe('The code in words. It is the same for all problems of a code.')),
  status: z.int(),
  detail: z.string().check(z.describe('What was wrong with this request, in sentences.')),
  code: z.string(),
  requestId: z.string().check(z.describe('The id in the header `x-request-id`.')),
  errors: z
    .array(fieldError)
    .check(z.describe('Every invalid field, at most 100; empty if the error is of no field.')),
});
export type Problem = z.infer<typeof problem>;
