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
