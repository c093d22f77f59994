import type { Envelope, Operation, WireFormat } from './envelope.ts';
import type { ErrorKind } from './errors.ts';
import type { Usage } from './usage.ts';

/** How an attempt at an upstream ended. `lost`: with its worker, so that nobody knows what it used. */
export type AttemptOutcome = 'answered' | 'failed' | 'cancelled' | 'lost';

/** What one attempt at an upstream was for, and what it used: one entry of the ledger. */
export interface UsageRecord {
  /** The attempt's UUIDv7. */
  id: string;
  requestId: string;
  /** When it began, in milliseconds since 1970. */
  at: number;
  /** From then to its end, in milliseconds. */
  ms: number;
  /** From then to the first part of an answer; absent where there was none. */
  firstMs?: number;
  operation: Operation;
  /** The client's format. */
  format: WireFormat;
  stream: boolean;
  /** As the client named it. */
  model: string;
  provider: string;
  /** The model's name at the provider. */
  upstreamModel: string;
  tokenId: string;
  project: string;
  outcome: AttemptOutcome;
  /** Why it failed. */
  error?: ErrorKind;
  /** Its answer reached the client, in part or whole: the client pays for it. */
  charged: boolean;
  /** Null where nothing is known of it. */
  usage: Usage | null;
  /** The upstream told no usage: these are counts of ours. */
  estimated?: boolean;
  /** The caller wrote it in place of a worker that was lost: what the worker wrote counts more. */
  byCaller?: boolean;
}

/** What a record says of an attempt from its beginning. `model` is the model's name at the provider. */
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
