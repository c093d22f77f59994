import type { ErrorKind } from './errors.ts';
import type { ClientFormat } from './wire-format.ts';

/** A text of a logged request, redacted and bounded. */
export interface LoggedText {
  text: string;
  /** Size of the whole text as it was sent, in bytes. */
  bytes: number;
  /** True if it is longer than what is stored of it. */
  cut: boolean;
}

/** The texts of a request and its answer, of a project with request logging. */
export interface LoggedRequest {
  /** A UUIDv7 of this record. */
  id: string;
  requestId: string;
  /** Start of the request, in milliseconds since 1970. */
  at: number;
  /** Duration of the request, in milliseconds. */
  ms: number;
  format: ClientFormat;
  /** The model name that the client sent; empty if the request failed before it was read. */
  model: string;
  tokenId: string;
  project: string;
  owner?: string;
  /** The HTTP status. */
  status: number;
  /** `cancelled`: the client left, so it has received only a part of the answer. */
  outcome: 'answered' | 'failed' | 'cancelled';
  error?: ErrorKind;
  request: LoggedText;
  response: LoggedText;
  /** Days for which it is stored. */
  retentionDays: number;
}

/** The facts that refused requests have in common when they are counted together. */
export interface Refusal {
  /** Empty if no token is known. */
  tokenId: string;
  /** Empty without a token. */
  project: string;
  owner?: string;
  /** The model's name in the catalog; empty if it was not looked up. */
  model: string;
  /** The HTTP status. */
  status: number;
  reason: ErrorKind;
}

/** Requests that a process refused within one minute, for one reason. */
export interface RefusedCount extends Refusal {
  refused: 'count';
  /** The process that counted. */
  process: string;
  /** Start of the minute, in milliseconds since 1970. */
  start: number;
  /** The number of requests so far: a later record of the minute has the larger one. */
  count: number;
}

/** A request that the gateway refused before it called an upstream: one of a few that stand for all of a minute. */
export interface RefusedRequest extends Refusal {
  refused: 'request';
  /** A UUIDv7 of this record. */
  recordId: string;
  requestId: string;
  /** Time of the refusal, in milliseconds since 1970. */
  at: number;
  /** The path of the endpoint. */
  endpoint: string;
  /** The error's code, in the terms of the chat format. */
  code?: string;
  /** The field at fault, as the client names it. */
  param?: string;
}

/** The records of the requests that an ingress refused. */
export type RefusedRecord = RefusedCount | RefusedRequest;
