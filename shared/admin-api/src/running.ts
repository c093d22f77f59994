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
  token: z.optional(text).check(z.describe("The token's id.")),
  project: z.optional(text),
  owner: z.optional(text).check(z.describe('The user who owns the token.')),
  model: z.optional(text).check(z.describe('The model name that the client sent.')),
  provider: z.optional(text).check(z.describe('The provider of the last attempt.')),
  format: z.optional(text).check(z.describe("The client's format.")),
  state: z.optional(z.enum(runningStates)),
};

/** The query of requests in flight. `cursor` is the `next` of the previous page. */
export const runningQuery = z.strictObject({ ...filter, ...paging });

/** The query of their changes. */
export const followQuery = z.strictObject({
  ...filter,
  seconds: z
    .optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(86_400)))
    .check(
      z.describe('Time after which the response ends, in seconds; it does not end by itself if absent.'),
    ),
});

/** A request in flight, or an open realtime session. */
export const runningRequest = z.object({
  requestId: z.string().check(z.describe('The id in the header `x-request-id`.')),
  at: z.string().check(z.describe('Start of the request, RFC 3339.')),
  ms: z.number().check(z.describe('Its age, in milliseconds.')),
  state: z.enum(runningStates),
  endpoint: z.string().check(z.describe('The path of the endpoint.')),
  format: z.string().check(z.describe("The client's format.")),
  operation: z.nullable(z.string()).check(z.describe('Null until it is read.')),
  model: z.string().check(z.describe('The model name that the client sent; empty until it is read.')),
  stream: z.boolean(),
  token: z.string().check(z.describe("The token's id.")),
  tokenName: z.string(),
  project: z.string(),
  owner: z.nullable(z.string()).check(z.describe('The user who owns the token; null for none.')),
  client: z.nullable(z.string()).check(z.describe("The client's address; null for background work.")),
  provider: z
    .nullable(z.string())
    .check(z.describe('The provider of the last attempt; null before the first.')),
  upstreamModel: z
    .nullable(z.string())
    .check(z.describe("The model's name at the provider; null before the first attempt.")),
  fallback: z
    .nullable(z.string())
    .check(z.describe('The model that took the request over from `model`; null if none did.')),
  attempts: z.number().check(z.describe('Attempts that were begun.')),
  failovers: z.number().check(z.describe('Attempts that failed and were followed by another.')),
  firstMs: z
    .nullable(z.number())
    .check(z.describe('Time until the answer began, in milliseconds; null before.')),
  answerBytes: z
    .number()
    .check(z.describe('Size of the answer so far on the way from the worker, in bytes.')),
  process: z.string().check(z.describe('The process that answers it.')),
});
export type RunningInfo = z.infer<typeof runningRequest>;

/** A page of requests in flight, oldest first. */
export const runningPage = z.object({
  data: z.array(runningRequest),
  next: z.nullable(z.string()),
  total: z.number().check(z.describe('The number of requests that the query names, on all pages.')),
  unanswered: z
    .array(z.string())
    .check(z.describe('The processes that did not answer in time: their requests are missing.')),
});
export type RunningPage = z.infer<typeof runningPage>;

/** The end of a request, in the event `ended`. */
const requestEnd = z.object({
  status: z.number().check(z.describe('The HTTP status; 499 if the client left or the request was ended.')),
  error: z.nullable(z.string()).check(z.describe('Kind of the failure; null if there was none.')),
  endedBy: z.nullable(z.string()).check(z.describe('The administrator who ended it; null if none did.')),
  usage: z
    .nullable(z.object({ input: z.number(), output: z.number() }))
    .check(z.describe('Tokens that were used; null if they are not known yet.')),
  cost: z.nullable(z.number()).check(z.describe('In US dollars; null if the usage or the price is unknown.')),
});

/** The data of the events `started`, `changed` and `ended`; `end` is null but in the last. */
export const runningChange = z.object({ request: runningRequest, end: z.nullable(requestEnd) });
export type RunningChangeInfo = z.infer<typeof runningChange>;

/** The data of the event `missed`: changes that were not sent, since there were too many. */
export const missedChanges = z.object({ changes: z.number() });
