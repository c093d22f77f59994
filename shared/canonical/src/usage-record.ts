import type { Envelope, Operation, WireFormat } from './envelope.ts';
import type { ErrorKind } from './errors.ts';
import type { Usage } from './usage.ts';

/** Outcome of an attempt. `lost`: the worker was lost, so its usage is unknown. */
export type AttemptOutcome = 'answered' | 'failed' | 'cancelled' | 'lost';

/** One entry of the ledger: an attempt and its usage. */
export interface UsageRecord {
  /** The attempt's UUIDv7. */
  id: string;
  requestId: string;
  /** Start of the attempt, in milliseconds since 1970. */
  at: number;
  /** Duration of the attempt, in milliseconds. */
  ms: number;
  /** Time from the start to the first part of the answer, in milliseconds; absent if there was none. */
  firstMs?: number;
  operation: Operation;
  /** The client's format. */
  format: WireFormat;
  stream: boolean;
  /** The model name that the client sent. */
  model: string;
  provider: string;
  /** The model's name at the provider. */
  upstreamModel: string;
  tokenId: string;
  project: string;
  outcome: AttemptOutcome;
  /** Kind of the failure. */
  error?: ErrorKind;
  /** True if any of the answer reached the client, which is then charged. */
  charged: boolean;
  /** Null if the usage is unknown. */
  usage: Usage | null;
  /** True if the upstream reported no usage: these counts are the gateway's estimate. */
  estimated?: boolean;
  /** True if the caller wrote the record for a lost worker. A record by the worker takes precedence. */
  byCaller?: boolean;
}

/** Returns the fields that are known when the attempt begins. `model` is the name at the provider. */
export function recordHead(
  { requestId, operation, format, stream, model, token }: Envelope,
  attempt: { id: string; provider: string; model: string },
) {
  return {
    id: attempt.id,
    requestId,
    operation,
    format,
    stream,
    model,
    provider: attempt.provider,
    upstreamModel: attempt.model,
    tokenId: token.id,
    project: token.project,
  } satisfies Partial<UsageRecord>;
}
