import { z } from 'zod/mini';
import { pageOf, paging } from './page.ts';
import { time, usageEntry } from './usage.ts';

/** The query of logged requests. */
export const requestsQuery = z.strictObject({
  from: z.optional(time),
  /** Exclusive. */
  to: z.optional(time),
  token: z.optional(z.string()),
  project: z.optional(z.string()),
  owner: z.optional(z.string()),
  model: z.optional(z.string()),
  ...paging,
});

const text = {
  /** Size of the whole text, in bytes. */
  bytes: z.number(),
  /** True if the end of the text is not stored. */
  cut: z.boolean(),
};

const summary = {
  /** The id in the header `x-request-id`. */
  requestId: z.string(),
  /** Start of the request, RFC 3339. */
  at: z.string(),
  /** Duration of the request, in milliseconds. */
  ms: z.number(),
  /** The client's format. */
  format: z.string(),
  /** The model name that the client sent; empty if the request failed before it was read. */
  model: z.string(),
  /** The token's id. */
  token: z.string(),
  project: z.string(),
  owner: z.nullable(z.string()),
  /** The HTTP status; 499 if the client left. */
  status: z.number(),
  /** `answered`, `failed`, or `cancelled` if the client left. */
  outcome: z.string(),
  error: z.nullable(z.string()),
  /** The time from which it is no longer shown, RFC 3339. */
  expiresAt: z.string(),
};

/** A logged request without its texts. */
export const loggedSummary = z.object({ ...summary, request: z.object(text), response: z.object(text) });
export type LoggedSummary = z.infer<typeof loggedSummary>;

export const loggedPage = pageOf(loggedSummary);
export type LoggedPage = z.infer<typeof loggedPage>;

const withText = z.object({
  ...text,
  /** The text in the client's format, redacted. */
  text: z.string(),
});

/** A logged request with its texts, and its attempts in the ledger. */
export const loggedRequest = z.object({
  ...summary,
  request: withText,
  response: withText,
  attempts: z.array(usageEntry),
});
export type LoggedRequestInfo = z.infer<typeof loggedRequest>;
