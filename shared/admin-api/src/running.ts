import { z } from 'zod/mini';
import { paging } from './page.ts';

/**
 * The states of a request in flight. `waiting`: its body is read, its checks run, or it waits before another attempt; `queued`: an
 * attempt waits for a worker; `running`: a worker asks the upstream; `streaming`: a part of the answer has arrived, or a
 * realtime session is open.
 */
export const runningStates = ['waiting', 'queued', 'running', 'streaming'] as const;

const text = z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(1_000));
const filter = {
  /** The token's id. */
  token: z.optional(text),
  project: z.optional(text),
  /** The user who owns the token. */
  owner: z.optional(text),
  /** The model name that the client sent. */
  model: z.optional(text),
  /** The provider of the last attempt. */
  provider: z.optional(text),
  /** The client's format. */
  format: z.optional(text),
  state: z.optional(z.enum(runningStates)),
};

/** The query of requests in flight. `cursor` is the `next` of the previous page. */
export const runningQuery = z.strictObject({ ...filter, ...paging });

/** The query of their changes. */
export const followQuery = z.strictObject({
  ...filter,
  /** Time after which the response ends, in seconds; it does not end by itself if absent. */
  seconds: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(86_400))),
});

/** A request in flight, or an open realtime session. */
export const runningRequest = z.object({
  /** The id in the header `x-request-id`. */
  requestId: z.string(),
  /** Start of the request, RFC 3339. */
  at: z.string(),
  /** Its age, in milliseconds. */
  ms: z.number(),
  state: z.enum(runningStates),
  /** The path of the endpoint. */
  endpoint: z.string(),
  /** The client's format. */
  format: z.string(),
  /** Null until it is read. */
  operation: z.nullable(z.string()),
  /** The model name that the client sent; empty until it is read. */
  model: z.string(),
  stream: z.boolean(),
  /** The token's id. */
  token: z.string(),
  tokenName: z.string(),
  project: z.string(),
  /** The user who owns the token; null for none. */
  owner: z.nullable(z.string()),
  /** The client's address; null for background work. */
  client: z.nullable(z.string()),
  /** The provider of the last attempt; null before the first. */
  provider: z.nullable(z.string()),
  /** The model's name at the provider; null before the first attempt. */
  upstreamModel: z.nullable(z.string()),
  /** The model that took the request over from `model`; null if none did. */
  fallback: z.nullable(z.string()),
  /** Attempts that were begun. */
  attempts: z.number(),
  /** Attempts that failed and were followed by another. */
  failovers: z.number(),
  /** Time until the answer began, in milliseconds; null before. */
  firstMs: z.nullable(z.number()),
  /** Size of the answer so far on the way from the worker, in bytes. */
  answerBytes: z.number(),
  /** The process that answers it. */
  process: z.string(),
});
export type RunningInfo = z.infer<typeof runningRequest>;

/** A page of requests in flight, oldest first. */
export const runningPage = z.object({
  data: z.array(runningRequest),
  next: z.nullable(z.string()),
  /** The number of requests that the query names, on all pages. */
  total: z.number(),
  /** The processes that did not answer in time: their requests are missing. */
  unanswered: z.array(z.string()),
});
export type RunningPage = z.infer<typeof runningPage>;

/** The end of a request, in the event `ended`. */
const requestEnd = z.object({
  /** The HTTP status; 499 if the client left or the request was ended. */
  status: z.number(),
  /** Kind of the failure; null if there was none. */
  error: z.nullable(z.string()),
  /** The administrator who ended it; null if none did. */
  endedBy: z.nullable(z.string()),
  /** Tokens that were used; null if they are not known yet. */
  usage: z.nullable(z.object({ input: z.number(), output: z.number() })),
  /** In US dollars; null if the usage or the price is unknown. */
  cost: z.nullable(z.number()),
});

/** The data of the events `started`, `changed` and `ended`; `end` is null but in the last. */
export const runningChange = z.object({ request: runningRequest, end: z.nullable(requestEnd) });
export type RunningChangeInfo = z.infer<typeof runningChange>;

/** The data of the event `missed`: changes that were not sent, since there were too many. */
export const missedChanges = z.object({ changes: z.number() });
