import { z } from 'zod/mini';
import { pageOf, paging } from './page.ts';
import { time, usageEntry } from './usage.ts';

/** The query of logged requests. */
export const requestsQuery = z.strictObject({
  from: z.optional(time),
  to: z.optional(time).check(z.describe('Exclusive.')),
  token: z.optional(z.string()),
  project: z.optional(z.string()),
  owner: z.optional(z.string()),
  model: z.optional(z.string()),
  ...paging,
});

const text = {
  bytes: z.number().check(z.describe('Size of the whole text, in bytes.')),
  cut: z.boolean().check(z.describe('True if the end of the text is not stored.')),
};

const summary = {
  requestId: z.string().check(z.describe('The id in the header `x-request-id`.')),
  at: z.string().check(z.describe('Start of the request, RFC 3339.')),
  ms: z.number().check(z.describe('Duration of the request, in milliseconds.')),
  format: z.string().check(z.describe("The client's format.")),
  model: z
    .string()
    .check(
      z.describe('The model name that the client sent; empty if the request failed before it was read.'),
    ),
  token: z.string().check(z.describe("The token's id.")),
  project: z.string(),
  owner: z.nullable(z.string()),
  status: z.number().check(z.describe('The HTTP status; 499 if the client left.')),
  outcome: z.string().check(z.describe('`answered`, `failed`, or `cancelled` if the client left.')),
  error: z.nullable(z.string()),
  expiresAt: z.string().check(z.describe('The time from which it is no longer shown, RFC 3339.')),
};

/** A logged request without its texts. */
export const loggedSummary = z.object({ ...summary, request: z.object(text), response: z.object(text) });
export type LoggedSummary = z.infer<typeof loggedSummary>;

export const loggedPage = pageOf(loggedSummary);
export type LoggedPage = z.infer<typeof loggedPage>;

const withText = z.object({
  ...text,
  text: z.string().check(z.describe("The text in the client's format, redacted.")),
});

/** A logged request with its texts, and its attempts in the ledger. */
export const loggedRequest = z.object({
  ...summary,
  request: withText,
  response: withText,
  attempts: z.array(usageEntry),
});
export type LoggedRequestInfo = z.infer<typeof loggedRequest>;
